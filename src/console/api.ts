import { computed, signal } from '@preact/signals';
import { ApiError, createClient } from '../client.ts';
import { DEFAULT_TENANT } from './model/tenant.ts';
import { hearTime } from './now.ts';
import { settings } from './settings.ts';

/** Whose jobs are shown, where the caller says so: as the address of the page names it. */
export const tenant = signal(settings.tenants ? DEFAULT_TENANT : '');

/** When the server was last heard of, and since when it is not. */
export const connection = signal<{ readonly heardMs: number; readonly lost: boolean }>({
  heardMs: Date.now(),
  lost: false,
});

/** What writes answers in place of a model, where the server says so. */
export const answers = signal('');

/** Says nothing and has said nothing wrong: asked again, it may answer. */
const isSilence = (status: number): boolean => status >= 502;

const heard: typeof fetch = async (input, init) => {
  const askedMs = Date.now();
  try {
    const response = await fetch(input, init);
    if (isSilence(response.status)) lose();
    else {
      const heardMs = Date.now();
      connection.value = { heardMs, lost: false };
      hearTime({ date: response.headers.get('date'), askedMs, heardMs });
    }
    answers.value = response.headers.get('x-treadle-answers') ?? '';
    return response;
  } catch (error) {
    lose();
    throw error;
  }
};

const lose = (): void => {
  if (!connection.value.lost) connection.value = { ...connection.value, lost: true };
};

const client = computed(() => {
  const headers = tenant.value === '' ? {} : { 'x-treadle-tenant': tenant.value };
  return createClient({ endpoint: settings.api, headers, fetch: heard });
});

/** The API as the tenant that is chosen. */
export const api = () => client.value;

/** Why something was not done, for people. */
export function whyNot(error: unknown): string {
  if (error instanceof ApiError && error.problem.type === 'urn:treadle:idempotency_key_reused')
    return 'what was sent from here at first was done; close this and look before more is sent';
  if (error instanceof ApiError) return error.message.replace(/\.$/, '');
  return error instanceof TypeError ? 'the server did not answer' : 'something went wrong in this page';
}

/** Whether it may have been done all the same: the answer was lost, not the request. */
export const isUnknown = (error: unknown): boolean =>
  error instanceof TypeError || (error instanceof ApiError && isSilence(error.status));

/** Whether asking again can help. */
export const isFinal = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429;
