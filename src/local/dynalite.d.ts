declare module 'dynalite' {
  import type { Server } from 'node:http';

  /** The server is not listening yet; closing it closes its store too. */
  function dynalite(options: { readonly path?: string; readonly createTableMs?: number }): Server;
  export = dynalite;
}
