/** The environment of every program that Reeve starts. */

const FIXED = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LANG: 'C.UTF-8' };

/** PATH, LANG and what is given. Nothing of Reeve's own environment, which may hold secrets, goes to a program. */
export const childEnvironment = (more: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> => ({
  ...FIXED,
  ...more,
});
