/** What the API answers in; a browser is shown nothing else of it. */
const dataTypes = new Set([
  'application/json',
  'application/problem+json',
  'application/x-ndjson',
  'text/csv',
]);

/** Whatever a ticket, or a server behind this one, wrote: it is data, and no page under the console's address. */
const dataHeaders = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
};

/** An answer of an API under the address of the console: data of a known kind, or bytes that no browser looks into. */
export function dataOnly(response: Response): Response {
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(dataHeaders)) headers.set(name, value);
  if (response.body !== null && !isData(headers.get('content-type'))) {
    headers.set('content-type', 'application/octet-stream');
  }
  return new Response(response.body, { status: response.status, headers });
}

const isData = (type: string | null): boolean =>
  dataTypes.has((type ?? '').split(';')[0]?.trim().toLowerCase() ?? '');
