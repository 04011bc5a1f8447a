const meta = (name: string): string =>
  document.querySelector<HTMLMetaElement>(`meta[name="treadle-${name}"]`)?.content ?? '';

/** What the server said of itself in the page. */
export const settings = {
  /** Where the API is on this server. */
  api: `${location.origin}${meta('api')}`,
  /** The deployment behind it, for people; empty where it is this server. */
  endpoint: meta('endpoint'),
  /** Whether the tenant is named by the caller. */
  tenants: meta('tenants') === 'true',
} as const;

export const BASE = '/console';

/** The address of a page of the console. */
export const pageOf = {
  overview: `${BASE}/`,
  jobs: `${BASE}/jobs`,
  job: (id: string): string => `${BASE}/jobs/${encodeURIComponent(id)}`,
  batches: `${BASE}/batches`,
  batch: (id: string): string => `${BASE}/batches/${encodeURIComponent(id)}`,
  approvals: `${BASE}/approvals`,
  costs: `${BASE}/costs`,
  health: `${BASE}/health`,
} as const;
