import type * as z from 'zod';
import {
  allPermissions,
  type Identified,
  type Identify,
  type Permission,
  tenantPattern,
} from './api/identity.ts';
import type { apiSettings } from './settings.ts';

/** What of the authorizer's context is read: API Gateway writes it, the caller cannot. */
interface Authorizer {
  readonly iam?: { readonly userArn?: unknown } | null;
  readonly jwt?: { readonly claims?: Readonly<Record<string, unknown>> | null } | null;
}

type Settings = Pick<z.output<typeof apiSettings>, 'TENANT_ROLES' | 'CONTROL_ROLES' | 'TENANT_CLAIM'>;

const refused = (detail: string): Identified => ({ type: 'refused', status: 403, detail });

/** Who calls on AWS: from the authorizer's context and from nothing else. Without any context nobody. */
export function identifyOnAws(settings: Settings): Identify {
  return (_request, environment) => {
    const authorizer = authorizerOf(environment);
    const userArn = authorizer?.iam?.userArn;
    if (typeof userArn === 'string' && userArn !== '') return byRole(settings, userArn);
    const claims = authorizer?.jwt?.claims;
    if (typeof claims === 'object' && claims !== null) return byClaims(settings, claims);
    return refused('the caller was not identified');
  };
}

function authorizerOf(environment: unknown): Authorizer | undefined {
  const { event } = environment as { event?: { requestContext?: { authorizer?: Authorizer } } };
  return event?.requestContext?.authorizer;
}

/** IAM: the policies on the routes decide what a role may do. With a role map a role is a tenant. */
function byRole({ TENANT_ROLES, CONTROL_ROLES }: Settings, userArn: string): Identified {
  const role = roleOf(userArn);
  const tenant = TENANT_ROLES === undefined ? 'default' : role && tenantByRole(TENANT_ROLES).get(role);
  if (tenant === undefined) return refused('this role belongs to no tenant');
  const controls = CONTROL_ROLES?.some((arn) => roleOf(arn) === role && role !== undefined) ?? false;
  const all = TENANT_ROLES === undefined || controls;
  const permissions = new Set<Permission>(allPermissions);
  if (!all) permissions.delete('control_all');
  return { type: 'identity', identity: { tenant, who: userArn.slice(0, 256), permissions } };
}

function tenantByRole(roles: Readonly<Record<string, string>>): ReadonlyMap<string | undefined, string> {
  return new Map(Object.entries(roles).map(([arn, tenant]) => [roleOf(arn), tenant]));
}

/**
 * Account and name of a role, of its own ARN or that of a session of it: a session's has no path, and names of roles
 * are unique in an account. Undefined for users and everything else.
 */
function roleOf(arn: string): string | undefined {
  const session = /^arn:aws[\w-]*:sts::(\d{12}):assumed-role\/([\w+=,.@-]+)\/[^/]+$/.exec(arn);
  const own = /^arn:aws[\w-]*:iam::(\d{12}):role\/(?:[\x21-\x7e]*\/)?([\w+=,.@-]+)$/.exec(arn);
  const found = session ?? own;
  return found === null ? undefined : `${found[1]} ${found[2]}`;
}

const scopes: Readonly<Record<string, readonly Permission[]>> = {
  'treadle/read': ['read'],
  'treadle/submit': ['submit', 'read'],
  'treadle/approve': ['approve'],
  'treadle/spend': ['spend'],
  'treadle/control': ['control'],
  'treadle/control_all': ['control_all'],
};

/** The scopes of which a token must have one to do what takes this permission: the gateway asks before we do. */
export function scopesFor(permission: Permission): readonly string[] {
  return Object.keys(scopes).filter((scope) => scopes[scope]?.includes(permission));
}

/** `scope` or `scp`, whichever the issuer writes, as the gateway asks for both: words in a row, or a list that it made `[a b]` of. */
function scopesIn(claims: Readonly<Record<string, unknown>>): readonly string[] {
  return [claims['scope'], claims['scp']].flatMap((claim) =>
    typeof claim === 'string' ? claim.replace(/^\[|\]$/g, '').split(/[\s,]+/) : [],
  );
}

/** JWT: one claim is the tenant, the scopes are the permissions. */
function byClaims({ TENANT_CLAIM }: Settings, claims: Readonly<Record<string, unknown>>): Identified {
  const tenant =
    TENANT_CLAIM !== undefined && Object.hasOwn(claims, TENANT_CLAIM) ? claims[TENANT_CLAIM] : undefined;
  if (typeof tenant !== 'string' || !tenantPattern.test(tenant)) return refused('the token names no tenant');
  const granted = scopesIn(claims);
  const permissions = new Set(
    granted.flatMap((scope) => (Object.hasOwn(scopes, scope) ? (scopes[scope] ?? []) : [])),
  );
  return {
    type: 'identity',
    identity: { tenant, who: String(claims['sub'] ?? '').slice(0, 256), permissions },
  };
}
