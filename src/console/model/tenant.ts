/** Whose jobs are shown where neither address nor field says so. */
export const DEFAULT_TENANT = 'default';

export const isTenant = (name: string): boolean => /^[A-Za-z0-9_-]{1,64}$/.test(name);

type Query = Readonly<Record<string, string>>;

/** The tenant that an address names, whether or not it can be one. */
export const tenantOf = (query: Query): string => query['tenant'] || DEFAULT_TENANT;

/** An address of the console with the tenant in it; one that names a tenant itself keeps it. */
export function withTenant(href: string, tenant: string): string {
  const address = new URL(href, 'http://console');
  if (tenant !== DEFAULT_TENANT && !address.searchParams.has('tenant'))
    address.searchParams.set('tenant', tenant);
  return `${address.pathname}${address.search}${address.hash}`;
}
