import type { Secret } from './adapters/secrets.ts';

/** A secret of Secrets Manager, whose client is loaded when it is first read: many functions never do. */
export function secretLater(arn: string): Secret {
  let loaded: Promise<Secret> | undefined;
  const secret = (): Promise<Secret> => {
    loaded ??= import('./adapters/secrets.ts').then(({ createSecret }) =>
      createSecret({ arn, now: Date.now }),
    );
    return loaded;
  };
  return {
    read: async () => (await secret()).read(),
    forget: () => void loaded?.then((one) => one.forget()),
  };
}
