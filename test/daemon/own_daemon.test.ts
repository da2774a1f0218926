import { chmodSync, copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Rig, until } from '../support/rig.ts';

const FIXTURES = join(import.meta.dirname, '../http/fixtures');

describe('the command line reaches its daemon', () => {
  it('over a unix socket, with no port open', async () => {
    await using rig = await Rig.open({ http: (own) => `{ socket: "${own.at('reeve.sock')}" }` });
    rig.start();
    await until('it watches', () => rig.log().includes('Reeve watches'));
    expect(readFileSync(`${rig.state}/address`, 'utf8').trim()).toBe(`unix:${rig.at('reeve.sock')}`);
    expect(await rig.reeve('status')).toMatchObject({ code: 0, stdout: expect.stringContaining('phase 4') });
    const forced = await rig.reeve('freeze', '--because', 'a test', '--url', `unix:${rig.at('reeve.sock')}`);
    expect(forced).toMatchObject({ code: 0, stderr: '' });
    const other = await rig.reeve('status', '--url', 'unix:/tmp/another.sock');
    expect(other).toMatchObject({ code: 64, stderr: expect.stringContaining('is not sent to') });
  }, 60_000);

  it('over TLS by the certificate in the state directory, and sends nothing to one with another', async () => {
    await using rig = await Rig.open({
      http: (own) =>
        `{ listen: "127.0.0.1:0", tls: { cert_file: "${own.at('cert.pem')}", key_file: "${own.at('key.pem')}" } }`,
    });
    for (const name of ['cert.pem', 'key.pem']) copyFileSync(join(FIXTURES, name), rig.at(name));
    chmodSync(rig.at('key.pem'), 0o600);
    rig.start();
    await until('it watches', () => rig.log().includes('Reeve watches'));
    expect(readFileSync(`${rig.state}/address`, 'utf8')).toMatch(/^https:\/\/127\.0\.0\.1:\d+/);
    expect(await rig.reeve('status')).toMatchObject({ code: 0, stdout: expect.stringContaining('phase 4') });
    copyFileSync(join(FIXTURES, 'next_cert.pem'), `${rig.state}/certificate`);
    const stranger = await rig.reeve('status');
    expect(stranger).toMatchObject({ code: 69, stderr: expect.stringContaining('shows another certificate') });
  }, 60_000);
});

describe('reeve check', () => {
  it('warns of what other machines can reach in clear, and calls it sound all the same', async () => {
    await using rig = await Rig.open({ http: () => '{ listen: "0.0.0.0:0", allowed_hosts: [reeve.example] }' });
    const human = await rig.reeve('check');
    expect(human).toMatchObject({ code: 0, stdout: 'everything is sound\n' });
    expect(human.stderr).toMatch(/^warning: .*reeve\.yaml:\d+:\d+: http\.listen: 0\.0\.0\.0 is open .* without TLS/);
    const { stdout, stderr, code } = await rig.reeve('check', '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({
      ok: true,
      warnings: [{ path: 'http.listen' }, { path: 'http.listen' }],
    });
  }, 60_000);
});
