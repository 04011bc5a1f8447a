import { InvalidArgumentError, Option } from 'commander';

/** The local `treadle dev`. */
export const LOCAL = 'http://127.0.0.1:8787';

function apiAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (
    url === undefined ||
    !/^https?:$/.test(url.protocol) ||
    `${url.username}${url.search}${url.hash}` !== ''
  ) {
    throw new InvalidArgumentError('expected the address of an API, such as http://127.0.0.1:8787.');
  }
  return text;
}

const named = (): Option => new Option('--endpoint <url>', 'the API to ask').argParser(apiAddress);

/** Which deployment a command asks: the local `treadle dev` unless something else is said. */
export function endpointOption(): Option {
  return named().env('TREADLE_ENDPOINT').default(LOCAL);
}

/** For a command that asks a deployment only where one is named in it: no variable makes it spend money elsewhere. */
export function namedEndpointOption(): Option {
  const option = named();
  option.description = 'run on this deployment in place of a local stack';
  return option;
}
