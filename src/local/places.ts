/** Invocations of the worker that `treadle dev` runs at once: more than batches may keep rows open, so that a single job always finds a free one. */
export const DEV_PLACES = 64;

/** Records of one invocation at most, as Lambda hands them over. */
export const MAX_RECORDS = 10;
