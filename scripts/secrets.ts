/**
 * `node scripts/secrets.ts`: how many secrets of test/corpus/secrets.jsonl redaction takes out, and how many look-alikes
 * it cuts. `--gitleaks FILE` asks the rules of gitleaks (its config/gitleaks.toml) the same on the same lines; `--all`
 * names what was missed and what was cut.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { redact } from '../src/collect/redact.ts';

/** One line of the corpus. Of a secret `span` is what must go. */
export interface SecretItem {
  readonly kind: string;
  readonly text: string;
  readonly span: string | undefined;
}

const DIGITS = '0123456789';
const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const ALPHABETS: Readonly<Record<string, string>> = {
  alnum: DIGITS + LOWER + LOWER.toUpperCase(),
  lower: LOWER,
  upper: LOWER.toUpperCase() + DIGITS,
  digits: DIGITS,
  hex: `${DIGITS}abcdef`,
};

/** The same numbers for the same line, on every machine (Lehmer, modulus 2^31 - 1). */
function numbers(seed: number): (below: number) => number {
  let state = (seed * 48_271 + 11) % 2_147_483_647;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

/** Values are made here: no line of the corpus holds one that a scanner of repositories would take for real. */
function filled(template: string, next: (below: number) => number): string {
  const of = (name: string, count: number): string => {
    const signs = ALPHABETS[name]!;
    return Array.from({ length: count }, () => signs[next(signs.length)]).join('');
  };
  const mixed = (count: number): string =>
    Array.from({ length: count }, (_, at) => of(at % 2 ? 'digits' : 'lower', 1)).join('');
  return template
    .replaceAll('{=}', '')
    .replaceAll('{uuid}', () => [8, 4, 4, 4, 12].map((count) => of('hex', count)).join('-'))
    .replaceAll('{grp4}', () => [4, 4, 4, 4, 4].map((count) => mixed(count)).join('-'))
    .replaceAll('{b64colon}', () => Buffer.from(`svc:${of('alnum', 9)}`).toString('base64'))
    .replace(/\{mix:(\d+)\}/g, (_, count: string) => mixed(Number(count)))
    .replace(/\{(alnum|lower|upper|digits|hex):(\d+)\}/g, (_, name: string, count: string) => of(name, Number(count)));
}

/** Reads the corpus; `«` and `»` stand around what must go. */
export function readSecrets(path = join(import.meta.dirname, '../test/corpus/secrets.jsonl')): readonly SecretItem[] {
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  return lines.map((line, index) => {
    const { secret, kind, text } = JSON.parse(line) as { secret: boolean; kind?: string; text: string };
    if (!secret) return { kind: 'look_alike', text, span: undefined };
    const whole = filled(text, numbers(index + 1));
    return { kind: kind!, text: whole.replace(/[«»]/g, ''), span: /«(.*)»/.exec(whole)![1] };
  });
}

/** Nothing of the secret is left but its mark, and what stands around it is. */
export const isCut = ({ text, span }: SecretItem, safe: string): boolean =>
  !safe.includes(span!) && !safe.includes(span!.slice(-6)) && safe !== text;

export interface SecretScores {
  readonly secrets: number;
  readonly found: number;
  readonly lookAlikes: number;
  readonly cut: number;
  readonly missed: readonly SecretItem[];
  readonly wrong: readonly SecretItem[];
}

export function scoreSecrets(items: readonly SecretItem[], clean: (text: string) => string): SecretScores {
  const [secrets, others] = [
    items.filter(({ span }) => span !== undefined),
    items.filter(({ span }) => span === undefined),
  ];
  const missed = secrets.filter((item) => !isCut(item, clean(item.text)));
  const wrong = others.filter(({ text }) => clean(text) !== text);
  const counts = { secrets: secrets.length, found: secrets.length - missed.length };
  return { ...counts, lookAlikes: others.length, cut: wrong.length, missed, wrong };
}

/** The rules of a gitleaks configuration, as far as the platform's engine can run them. */
function gitleaks(path: string): (text: string) => string {
  const rules = readFileSync(path, 'utf8').split('[[rules]]').slice(1);
  const regexes = rules.flatMap((rule) => {
    const source = /^regex = '''(.*)'''$/m.exec(rule)?.[1];
    if (source === undefined) return [];
    const plain = source
      .replace(/\(\?-i:/g, '(?:')
      .replace(/\(\?P</g, '(?<')
      .replace(/^\(\?i\)|\(\?i\)/g, '')
      .replaceAll('\\z', '$');
    try {
      return [new RegExp(plain, source.includes('(?i') ? 'gi' : 'g')];
    } catch {
      return [];
    }
  });
  process.stdout.write(`gitleaks: ${regexes.length} of ${rules.length} rules\n`);
  return (text) => regexes.reduce((safe, regex) => safe.replace(regex, '[redacted]'), text);
}

const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(1)} %`;

function tell(name: string, { secrets, found, lookAlikes, cut, missed, wrong }: SecretScores, isAll: boolean): void {
  process.stdout.write(
    `${name}: ${found} of ${secrets} secrets (${percent(found, secrets)}), ` +
      `${cut} of ${lookAlikes} look-alikes cut (${percent(cut, lookAlikes)})\n`,
  );
  const kinds = [...Map.groupBy(missed, ({ kind }) => kind)].map(([kind, list]) => `${kind} ${list.length}`);
  process.stdout.write(`  missed: ${kinds.join(', ') || 'none'}\n`);
  if (isAll) for (const { text } of [...missed, ...wrong]) process.stdout.write(`  ${text}\n`);
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { gitleaks: { type: 'string' }, all: { type: 'boolean', default: false } } });
  const items = readSecrets();
  tell('Reeve', scoreSecrets(items, redact), values.all);
  if (values.gitleaks !== undefined) tell('gitleaks', scoreSecrets(items, gitleaks(values.gitleaks)), false);
}
