import { expect, it } from 'vitest';
import { isTenant, tenantOf, withTenant } from '../../src/console/model/tenant.ts';

it.each([
  ['/console/jobs', 'acme', '/console/jobs?tenant=acme'],
  ['/console/jobs?status=failed#end', 'acme', '/console/jobs?status=failed&tenant=acme#end'],
  ['/console/jobs', 'default', '/console/jobs'],
  ['/console/jobs?tenant=other', 'acme', '/console/jobs?tenant=other'],
])('writes %s for the tenant %s as %s', (href, tenant, written) => {
  expect(withTenant(href, tenant)).toBe(written);
});

it('shows the default tenant where the address names none, whoever looked at which before', () => {
  expect([tenantOf({}), tenantOf({ tenant: '' }), tenantOf({ tenant: 'acme' })]).toEqual([
    ...['default', 'default', 'acme'],
  ]);
});

it.each([
  ['acme_1-x', true],
  ['', false],
  ['a b', false],
  ['a'.repeat(65), false],
])('"%s" can be a tenant: %s', (name, can) => {
  expect(isTenant(name)).toBe(can);
});
