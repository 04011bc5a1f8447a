/** `control_all`: the kill switch of every tenant. `submit` is given together with `read` wherever permissions are granted. */
export type Permission = 'read' | 'submit' | 'approve' | 'spend' | 'control' | 'control_all';

export const allPermissions: ReadonlySet<Permission> = new Set<Permission>([
  'read',
  'submit',
  'approve',
  'spend',
  'control',
  'control_all',
]);

/** Who asks, as the authorizer or the local server says: nothing of it may come from where a caller on AWS can write. */
export interface Identity {
  readonly tenant: string;
  /** For the record of decisions: a role, a user, a subject. At most 256 characters. */
  readonly who: string;
  readonly permissions: ReadonlySet<Permission>;
}

export type Identified =
  | { readonly type: 'identity'; readonly identity: Identity }
  | { readonly type: 'refused'; readonly status: 400 | 403; readonly detail: string };

/** `environment` is what the server hands along with the request: on Lambda the event. */
export type Identify = (request: Request, environment: unknown) => Identified;

/** What a tenant may be called. */
export const tenantPattern = /^[A-Za-z0-9_-]{1,64}$/;
