import type { Example, Route } from '../../src/api/route.ts';
import type { ApiRequest } from './senders.ts';

/** What is sent, whatever is expected of it. */
export type Sent = Pick<Example, 'request'>;

export function pathOf(route: Route, { request }: Sent): string {
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => request.params?.[name] ?? '');
  const query = new URLSearchParams(request.query).toString();
  return query === '' ? path : `${path}?${query}`;
}

/** An example as it is sent. */
export function requestOf(route: Route, example: Sent): ApiRequest {
  const { headers = {}, body, file } = example.request;
  return {
    ...{ method: route.method, path: pathOf(route, example), body },
    headers: { ...headers, ...(file === undefined ? {} : { 'content-type': file.type }) },
    ...(file === undefined ? {} : { text: file.text }),
  };
}
