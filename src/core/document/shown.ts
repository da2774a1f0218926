/** How a value from a file is shown in a message. */

const TEXT_SHOWN_MAX = 60;

/** Control, formatting and unassigned characters, lone surrogates, line and paragraph separators. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** Keys whose values never appear in a message; `tokens_per_day` counts words of a model and hides nothing. */
const SECRET_KEY = /password|secret|token(?!s_)|credential|api_?key|authorization/i;

/** A value from a file as a message may show it: short, on one line, harmless on a terminal, without passwords. */
export function shown(value: unknown, key = ''): string {
  if (value === undefined || value === null) return 'nothing';
  if (typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a mapping';
  if (SECRET_KEY.test(key)) return 'a hidden value';
  if (typeof value === 'number') return `the number ${value}`;
  const masked = [...maskUrl(String(value))];
  const safe = masked.slice(0, TEXT_SHOWN_MAX).join('').replace(UNPRINTABLE, '?');
  return `"${safe}${masked.length > TEXT_SHOWN_MAX ? '…' : ''}"`;
}

/** User, password and the values of a query never leave the file. */
function maskUrl(text: string): string {
  return text.replace(/\/\/[^/@\s]*@/, '//***@').replace(/(\?[^#\s]*)/, (query) => query.replace(/=[^&]*/g, '=***'));
}
