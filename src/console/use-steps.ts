import { useEffect, useMemo, useReducer } from 'preact/hooks';
import type { Job } from '../client.ts';
import { api, tenant } from './api.ts';
import type { Step } from './model/step.ts';
import { PAGE } from './read-all.ts';

interface Store {
  /** The steps of each page, and the cursor that the page was asked with. */
  pages: readonly { readonly asked: string | undefined; readonly steps: readonly Step[] }[];
  /** The state of the job that they were read for. */
  readFor: string;
  reading: boolean;
}

/** A trace of 10,000 steps is read; none is longer. */
const MAX_PAGES = 50;

/** The trace of a job: read on from its last page whenever the job has moved, and anew where it was cut back. */
export function useSteps(job: Pick<Job, 'id' | 'steps' | 'updatedAt' | 'status'> | undefined): {
  readonly steps: readonly Step[];
  readonly read: boolean;
} {
  const [, redraw] = useReducer((drawn: number) => drawn + 1, 0);
  const id = job?.id ?? '';
  const store = useMemo<Store>(() => ({ pages: [], readFor: '', reading: false }), [id, tenant.value]);
  const state = job === undefined ? '' : `${job.updatedAt} ${job.status} ${job.steps}`;
  useEffect(() => {
    if (job === undefined || store.reading || store.readFor === state) return;
    store.reading = true;
    void readOn(store, job)
      .then(() => {
        store.readFor = state;
      })
      .catch(() => undefined)
      .finally(() => {
        store.reading = false;
        redraw(undefined);
      });
  });
  const steps = useMemo(() => store.pages.flatMap((page) => page.steps), [store.pages]);
  return { steps, read: store.readFor !== '' };
}

async function readOn(store: Store, job: Pick<Job, 'id' | 'steps'>): Promise<void> {
  const known = store.pages.reduce((sum, { steps }) => sum + steps.length, 0);
  let pages = job.steps < known ? [] : store.pages.slice(0, -1);
  let cursor = (job.steps < known ? undefined : store.pages.at(-1)?.asked) ?? undefined;
  while (pages.length < MAX_PAGES) {
    const asked = cursor;
    const answer = await api().steps(job.id, {
      limit: PAGE,
      ...(asked === undefined ? {} : { cursor: asked }),
    });
    pages = [...pages, { asked, steps: answer.items }];
    if (answer.cursor === null) break;
    cursor = answer.cursor;
  }
  store.pages = pages;
}
