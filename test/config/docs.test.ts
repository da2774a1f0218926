import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RECEIVER_KINDS } from '../../src/escalate/receivers/documents.ts';
import { loadText, told } from './support.ts';

const DOCS = resolve(import.meta.dirname, '../../docs');
const ENV = {
  WEBHOOK_SECRET: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  PAGERDUTY_KEY: 'R0123456789abcdefghijklmnopqrstu',
  SLACK_WEBHOOK: 'https://hooks.slack.com/services/T0/B0/x',
  SMTP_PASSWORD: 'x',
  NTFY_TOKEN: 'tk_x',
  SUPERVISOR_PASSWORD: 'x',
  ENGINE_TOKEN: 'x',
};

/** The blocks of YAML in a page. */
const examplesOf = (page: string): readonly string[] =>
  [...readFileSync(join(DOCS, page), 'utf8').matchAll(/```yaml\n(version: 1\n[\s\S]*?)```/g)].map(([, yaml]) => yaml!);

describe('docs/receivers.md', () => {
  const text = readFileSync(join(DOCS, 'receivers.md'), 'utf8');

  it('shows every kind in its table, and no other', () => {
    const rows = [...text.matchAll(/^\| `([a-z]+)` \| (?:yes|no)/gm)].map(([, kind]) => kind);
    expect(rows.toSorted()).toEqual(RECEIVER_KINDS.toSorted());
  });

  it('has an example of every kind that reeve check accepts', () => {
    const [example] = examplesOf('receivers.md');
    const { config, problems } = loadText(example!, ENV);
    expect(told(problems)).toEqual([]);
    expect(config?.receivers.map(({ kind }) => kind).toSorted()).toEqual(RECEIVER_KINDS.toSorted());
    expect(config?.routes).toHaveLength(3);
  });
});
