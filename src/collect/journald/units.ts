/** Names of systemd's units, as journalctl takes them. */

/** The kinds of units (systemd.unit(5)). A name may hold dots of its own: `encoder@news.hd`. */
const KINDS = /\.(?:service|socket|device|mount|automount|swap|target|path|timer|slice|scope)$/;

/** As systemd takes it: a name without a kind is a service. */
export const fullUnitName = (written: string): string => (KINDS.test(written) ? written : `${written}.service`);

/** Whether `--unit=PATTERN` follows the unit. A pattern gets no kind. What a set in brackets holds is not looked at. */
export function followsUnit(pattern: string, unit: string): boolean {
  if (!/[*?[]/.test(pattern)) return fullUnitName(pattern) === fullUnitName(unit);
  if (pattern.includes('[')) return true;
  const source = pattern
    .replace(/[^\w*?]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`).test(fullUnitName(unit));
}
