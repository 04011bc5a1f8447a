/** The data folders that this code writes and reads: `triage` and `dev` share them. Tables of before lack an index. */
export const dataVersions = { version: 2, oldest: 2 } as const;
