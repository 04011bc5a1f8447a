import type { Notice, Notifier, Told } from '../../src/ports.ts';

/** One try to tell: the bus, or the address of a webhook. */
export interface Heard {
  readonly to: string;
  readonly notice: Notice;
}

export interface Listener {
  readonly notifier: Notifier;
  /** Every try, in order. */
  readonly heard: Heard[];
  /** The tries that one of the two heard. */
  readonly by: (to: string) => readonly Notice[];
}

export const BUS = 'bus';
export const HOOK = 'https://receiver.example/hook';

/** Somebody who is told: by the bus, the webhook or both. `answer` says what comes of each try. @default told */
export function listener(
  ways: readonly ('events' | 'webhook')[] = ['events', 'webhook'],
  answer: (heard: Heard, tries: number) => Told | Promise<Told> = () => ({ type: 'told' }),
): Listener {
  const heard: Heard[] = [];
  const hear = async (to: string, notice: Notice): Promise<Told> => {
    heard.push({ to, notice });
    return answer({ to, notice }, heard.filter((one) => one.to === to).length);
  };
  return {
    heard,
    by: (to) => heard.filter((one) => one.to === to).map(({ notice }) => notice),
    notifier: {
      events: ways.includes('events') ? { publish: (notice) => hear(BUS, notice) } : undefined,
      webhook: ways.includes('webhook') ? { post: hear } : undefined,
    },
  };
}
