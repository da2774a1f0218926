import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadText, problemLines } from '../support.ts';

const read = (receiver: string, env: Record<string, string> = {}) =>
  loadText(`version: 1\nreceivers: [${receiver}]\n`, env);
const problemsOf = (receiver: string, env: Record<string, string> = {}) =>
  problemLines(read(receiver, env).problems).join('\n');
const PAGER = 'id: r, kind: pagerduty';
const KEY = '0123456789abcdef0123456789abcdef';

describe('the receivers of a configuration', () => {
  it('need the secrets that their kind needs, and no others', () => {
    expect(problemsOf(`{ ${PAGER} }`)).toContain('expected routing_key_env or routing_key_file, got neither');
    expect(problemsOf('{ id: r, kind: webhook, url: "http://127.0.0.1/" }')).toBe('');
    const [receiver] = read(`{ ${PAGER}, routing_key_env: K }`, { K: KEY }).config?.receivers ?? [];
    expect(receiver?.secrets.routing_key?.reveal()).toBe(KEY);
  });

  it('take a secret from one place, and refuse one of another form without showing it', () => {
    expect(problemsOf(`{ ${PAGER}, routing_key_env: K, routing_key_file: k }`, { K: KEY })).toContain(
      'expected routing_key_env or routing_key_file, got both',
    );
    const wrong = problemsOf(`{ ${PAGER}, routing_key_env: K }`, { K: 'hunter2' });
    expect(wrong).toContain('got something else');
    expect(wrong).not.toContain('hunter2');
  });

  it('take no secret of a webhook that is too short to be one: no start may fail of it', () => {
    const hook = '{ id: r, kind: webhook, url: "http://127.0.0.1/", secret_env: K }';
    expect(problemsOf(hook, { K: 'hunter2' })).toContain('expected at least 16 bytes, got something else');
    expect(problemsOf(hook, { K: 'whsec_aHVudGVyMg==' })).toContain('expected at least 16 bytes');
    expect(problemsOf(hook, { K: 'hunter2'.repeat(3) })).toBe('');
    expect(problemsOf(hook, { K: `whsec_${'A'.repeat(32)}` })).toBe('');
  });

  it('have one id each', () => {
    const two = ['h', 'i'].map((host) => `{ id: r, kind: alertmanager, url: "http://${host}/" }`);
    expect(problemsOf(two.join(', '))).toContain('the id r stands here a second time');
  });

  describe('by mail', () => {
    const mail = (caFile: string) =>
      `{ id: r, kind: email, host: mail, from: a@example.org, to: [b@example.org], ca_file: ${caFile} }`;

    it('find the certificates of their own authority beside the file', () => {
      const { problems, cwd } = read(mail('ca.pem'));
      expect(problemLines(problems).join()).toContain(join(cwd, 'config/ca.pem'));
    });

    it('are refused with a file of certificates that is not there, or that holds none: no start may fail of it', () => {
      expect(problemsOf(mail('"http/ca.pem"'))).toMatch(/ca_file: expected a readable file with certificates/);
      const other = join(import.meta.dirname, '../../http/fixtures/key.pem');
      expect(problemsOf(mail(`"${other}"`))).toMatch(/ca_file: expected certificates \(PEM\) in /);
      expect(problemsOf(mail(`"${other.replace('key.pem', 'cert.pem')}"`))).toBe('');
    });
  });
});
