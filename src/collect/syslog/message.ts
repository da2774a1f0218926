/** Parses one syslog message, in the old form or the new one. */

/** One syslog message, as far as its sender filled it in. All of it is untrusted. */
export interface SyslogMessage {
  /** By the sender's clock, where it is whole (RFC 5424, or an ISO time); the old form has no year and no zone. */
  readonly at: number | undefined;
  readonly host: string | undefined;
  readonly app: string | undefined;
  /** `time host app[pid]: text`, as a syslog file shows it. */
  readonly line: string;
}

const PRIORITY = /^<(\d{1,3})>/;
/** RFC 5424: version, time, host, app, process, message id; then structured data and text. */
const MODERN = /^1 (\S{1,64}) (\S{1,255}) (\S{1,48}) (\S{1,128}) (\S{1,32}) /;
/** RFC 3164 as it is really sent: its own time or an ISO one; `logger` to the local socket leaves the host out. */
const OLD =
  /^((?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT\S{8,32}) )(?:([^\s:[\]]{1,255}) )?([^\s:[\]]{1,48})(\[[^\]\s]{0,32}\])?: ?/;
const BOM = /^\ufeff/;
/** One blank belongs to the form; rsyslog keeps the one after the old form's tag as well. */
const BLANKS = /^ {1,2}/;

/** Undefined for what is no syslog message: every one begins with its priority. */
export function parseSyslog(text: string): SyslogMessage | undefined {
  const priority = PRIORITY.exec(text);
  if (priority === null || Number(priority[1]) > 191) return undefined;
  const rest = text.slice(priority[0].length);
  return modern(rest) ?? old(rest);
}

function modern(text: string): SyslogMessage | undefined {
  const header = MODERN.exec(text);
  if (header === null) return undefined;
  const [whole, time = '', host = '', app = '', pid = ''] = header;
  const body = afterStructured(text.slice(whole.length)).replace(BOM, '');
  const process = pid === '-' ? '' : `[${pid}]`;
  const from = [time, host, `${app}${process}:`].filter((part) => part !== '-' && part !== '-:');
  return { at: epochOf(time), host: named(host), app: named(app), line: `${from.join(' ')} ${body}` };
}

const named = (field: string | undefined): string | undefined => (field === '-' ? undefined : field);

function epochOf(time: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\dT.*(?:Z|[+-]\d\d:\d\d)$/.test(time)) return undefined;
  const at = Date.parse(time);
  return Number.isFinite(at) ? at : undefined;
}

/** Structured data is `-` or `[id name="value" …]…`, where `\` keeps a quote or bracket from ending anything. */
function afterStructured(text: string): string {
  if (text.startsWith('-')) return text.slice(1).replace(BLANKS, '');
  let at = 0;
  while (text[at] === '[') {
    let isQuoted = false;
    for (at += 1; at < text.length && (isQuoted || text[at] !== ']'); at += 1) {
      if (text[at] === '\\') at += 1;
      else if (text[at] === '"') isQuoted = !isQuoted;
    }
    at += 1;
  }
  return text.slice(at).replace(BLANKS, '');
}

function old(text: string): SyslogMessage {
  const header = OLD.exec(text);
  const at = header === null ? undefined : epochOf(header[1]!.trim());
  return { at, host: header?.[2], app: header?.[3], line: text };
}
