import { type ComponentChildren, options, type VNode } from 'preact';
import { LocationProvider, useLocation } from 'preact-iso';
import { tenant } from '../api.ts';
import { isTenant, tenantOf, withTenant } from '../model/tenant.ts';
import { BASE, pageOf, settings } from '../settings.ts';
import { Page } from './page.tsx';

/**
 * Links of the console name the tenant, whoever writes them: a link that is copied from the page shows the same to
 * everybody. Called once, before anything is drawn.
 */
export function nameTenantInLinks(): void {
  const { vnode: before } = options;
  options.vnode = (vnode: VNode<{ href?: unknown }>) => {
    const { href } = vnode.props;
    if (vnode.type === 'a' && typeof href === 'string' && href.startsWith(BASE))
      vnode.props.href = withTenant(href, tenant.value);
    before?.(vnode);
  };
}

/** Shows the tenant that the address names, and keeps it in the address while one goes from page to page. */
export function Tenants({ children }: { readonly children: ComponentChildren }) {
  const location = useLocation();
  const named = tenantOf(location.query);
  // Before the pages are drawn, so that none asks as the former tenant.
  if (settings.tenants && tenant.peek() !== named) tenant.value = named;
  const { route } = location;
  const kept = {
    ...location,
    route: (url: string, replace?: boolean) => route(withTenant(url, tenant.peek()), replace),
  };
  return <LocationProvider.ctx.Provider value={kept}>{children}</LocationProvider.ctx.Provider>;
}

/** Its field in the bar: what is typed becomes part of the address. */
export function TenantField() {
  const { path, route } = useLocation();
  const wrong = !isTenant(tenant.value);
  const choose = (name: string): void => {
    tenant.value = name.trim() || tenantOf({});
    route(path === BASE ? pageOf.overview : path);
  };
  return (
    <label class="tenant">
      <span>Tenant</span>
      <input
        type="text"
        size={10}
        maxLength={64}
        aria-invalid={wrong}
        value={tenant.value}
        onChange={(event) => choose(event.currentTarget.value)}
      />
    </label>
  );
}

/** In place of every page, because the jobs of another tenant would be shown under this name. */
export function NoSuchTenant() {
  return (
    <Page title="No tenant has this name" name="No such tenant">
      <p class="panel" role="status">
        A tenant has a name of at most 64 letters, digits, <code>_</code> and <code>-</code>. Nothing is
        shown.
      </p>
    </Page>
  );
}
