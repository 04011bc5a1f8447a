import { TerminalError } from '../core/errors.ts';

/*
 * Stands for `@aws-sdk/credential-provider-node` in the bundles, by whose names it is asked. Lambda hands a function the
 * credentials of its role in three variables; the chain of the SDK also knows profiles, single sign-on and machines of
 * other services, which makes a third of a bundle that no function ever uses.
 */

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly expiration?: Date;
}

/** The credentials of the function's role. Fails naming the variables when they are not there. */
export function defaultProvider(): () => Promise<Credentials> {
  return async () => {
    const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = process.env as Partial<
      Record<'AWS_ACCESS_KEY_ID' | 'AWS_SECRET_ACCESS_KEY' | 'AWS_SESSION_TOKEN', string>
    >;
    if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) {
      const message =
        'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set: a bundled function knows no others';
      throw new TerminalError('no_credentials', message);
    }
    return {
      accessKeyId: AWS_ACCESS_KEY_ID,
      secretAccessKey: AWS_SECRET_ACCESS_KEY,
      ...(AWS_SESSION_TOKEN ? { sessionToken: AWS_SESSION_TOKEN } : {}),
    };
  };
}

export const credentialsWillNeedRefresh = (credentials?: Credentials): boolean =>
  credentials?.expiration !== undefined;

export const credentialsTreatedAsExpired = (credentials?: Credentials): boolean =>
  credentials?.expiration !== undefined && credentials.expiration.getTime() - Date.now() < 300_000;
