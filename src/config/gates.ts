/** What only the environment of the process says: switches and keys that stand in no file. */

/** The second gate of exploration: `REEVE_EXPLORE=1`. The first is in the configuration or in the code. */
export const mayExplore = (env: NodeJS.ProcessEnv = process.env): boolean => env.REEVE_EXPLORE === '1';

/** The value of a variable; undefined where it is not set or empty. */
export const environmentValue = (name: string, env: NodeJS.ProcessEnv = process.env): string | undefined =>
  env[name] === '' ? undefined : env[name];
