/** What the engines without a module of their own for it can call a channel. Each throws CONFIG_INVALID. */
import { ReeveError } from '../core/errors.ts';

const refused = (name: string, what: string, hint: string): ReeveError =>
  new ReeveError('CONFIG_INVALID', `${JSON.stringify(name)} ${what}`, { hint });

/** No name may look like an option or lead out of a directory. */
export function commandNameOf(name: string): string {
  if (/^[A-Za-z0-9_][A-Za-z0-9_.:@/+-]{0,127}$/.test(name) && !name.includes('..')) return name;
  const hint = 'Letters, digits, and _ . : @ / + - after the first; no "..".';
  throw refused(name, 'cannot be an argument of a command', hint);
}

/** A name that is safe in a path: `.` and `..` would lead elsewhere. */
export function httpNameOf(name: string): string {
  if (!/^\.{0,2}$/.test(name) && !/\p{Cc}/u.test(name) && name.isWellFormed()) return name;
  throw refused(name, 'cannot be a part of a URL', 'as the service itself names the channel in its list');
}

export function exstreamtvNameOf(name: string): string {
  if (/^\d{1,9}$/.test(name)) return name;
  const hint = 'ExStreamTV distinguishes ids and numbers: GET /api/channels lists both.';
  throw refused(name, 'is not the id of a channel', hint);
}

/**
 * `news` is `news:news`, as in supervisorctl. supervisord itself refuses a blank, a colon and a slash in the name of a
 * program; `*` and an empty name after the colon would mean all programs of a group.
 */
export function supervisorNameOf(name: string): string {
  const [group = '', program = group, ...more] = name.split(':');
  if (more.length === 0 && [group, program].every((part) => /^[^\s/*\p{Cc}]+$/u.test(part)))
    return `${group}:${program}`;
  const hint = 'as supervisorctl status shows it: a program, or group:program; no blank, no slash and no *';
  throw refused(name, 'is not the name of one program of a supervisor', hint);
}
