/** What the fuzzer asks. */
export interface Target {
  readonly url: string;
  /** Called between rounds: jobs and batches go on. */
  readonly goOn: () => Promise<void>;
  /** `operation status` that it cannot be made to show at will, each with the reason. */
  readonly cannotShow: readonly (readonly [answer: string, reason: string])[];
  /** What it has logged, where that can be seen. */
  readonly logged: () => string;
}

const PAUSE_MS = 500;

/** An API that runs elsewhere, with a worker of its own. */
export function elsewhere(url: string): Target {
  return {
    url: url.replace(/\/$/, ''),
    goOn: () => new Promise((resolve) => setTimeout(resolve, PAUSE_MS)),
    cannotShow: [
      ['redriveDeadLetter 202', 'redriveDeadLetter 202: no message of a healthy queue is given up'],
      ['createJob 429', "createJob 429 comes only when the tenant's pool of a day is set and spent"],
    ],
    logged: () => '',
  };
}
