import { defined } from '../../lib/defined.ts';
import { SettingError } from '../../lib/errors.ts';

/** What the SDK signs requests with (`AwsCredentialIdentity`). */
interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/**
 * Bundled in the place of `@aws-sdk/credential-provider-node`. Lambda gives a function the credentials of
 * its role in these variables, which that package too looks at first; the rest of it, for laptops, EC2 and
 * single sign-on, is a quarter of a bundle and never runs in a function. They are valid for longer than the
 * process lives, so there is nothing to renew.
 *
 * @throws SettingError when the variables are not there, which no role can cure.
 */
export function defaultProvider(): () => Promise<Credentials> {
  return async () => {
    const { env } = process;
    const sessionToken = env['AWS_SESSION_TOKEN'];
    return {
      accessKeyId: required('AWS_ACCESS_KEY_ID', env),
      secretAccessKey: required('AWS_SECRET_ACCESS_KEY', env),
      ...defined({ sessionToken }),
    };
  };
}

function required(name: string, env: NodeJS.ProcessEnv): string {
  const value = env[name];
  if (value !== undefined && value !== '') return value;
  throw new SettingError(
    name,
    'expected the variable that Lambda sets, got nothing. Outside Lambda, set it for this process.',
  );
}
