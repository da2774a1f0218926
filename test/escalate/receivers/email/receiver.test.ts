import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { aFolder, loadText, writeInto } from '../../../config/support.ts';
import { until } from '../../servers.ts';
import { raisedFact, resolvedFact } from '../../support.ts';
import { CALM, dispatching, noticeFor, receiverOf } from '../support.ts';

interface Mail {
  readonly from: string;
  readonly to: readonly string[];
  readonly secure: boolean;
  readonly user: string | undefined;
  readonly text: string;
}

/** A real SMTP server on loopback that keeps what it takes. */
async function smtpServer(options: SMTPServerOptions = {}) {
  const mails: Mail[] = [];
  const server = new SMTPServer({
    logger: false,
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ username = '', password }, _, done) =>
      password === 'hunter2'
        ? done(null, { user: username })
        : done(Object.assign(new Error('no'), { responseCode: 535 })),
    onData: async (stream, session, done) => {
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk as Buffer);
      const { mailFrom, rcptTo } = session.envelope;
      mails.push({
        from: mailFrom === false ? '' : mailFrom.address,
        to: rcptTo.map(({ address }) => address),
        secure: session.secure,
        user: session.user,
        text: Buffer.concat(chunks).toString(),
      });
      done();
    },
    ...options,
  });
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  onTestFinished(() => new Promise<void>((done) => server.close(() => done())));
  return { port: (server.server.address() as AddressInfo).port, mails };
}

/** A certificate for localhost, made for this test. */
function certificate() {
  const folder = aFolder();
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  const args = [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '2',
    '-keyout',
    key,
    '-out',
    cert,
    ...subject,
  ];
  execFileSync('openssl', args, { stdio: 'ignore' });
  return { file: cert, options: { key: readFileSync(key), cert: readFileSync(cert), disabledCommands: [] } };
}

const mailbox = (port: number, more = 'tls: none') =>
  receiverOf(
    `{ id: mail, kind: email, host: 127.0.0.1, port: ${port}, from: reeve@a.example, to: [o@b.example], ${more} }`,
  );

const headerOf = ({ text }: Mail, name: string) =>
  new RegExp(`^${name}: (.*(?:\r\n[ \t].*)*)`, 'im').exec(text)?.[1]?.replace(/\r\n\s+/g, ' ');

describe('e-mail', () => {
  it('has a subject, the facts and the details, for everybody who is named', async () => {
    const server = await smtpServer();
    await mailbox(server.port).deliver(noticeFor(), CALM);
    const [mail] = server.mails;
    expect(mail).toMatchObject({ from: 'reeve@a.example', to: ['o@b.example'], secure: false });
    expect(headerOf(mail!, 'subject')).toBe('CRITICAL news: output_stalled');
    expect(headerOf(mail!, 'auto-submitted')).toBe('auto-generated');
    expect(mail!.text).toMatch(
      /about: channel:news[\s\S]*classification: output_stalled[\s\S]*What was done: nothing\./,
    );
  });

  it('keeps its Message-ID over attempts, and puts all messages of a page into one thread', async () => {
    const server = await smtpServer();
    const receiver = mailbox(server.port);
    for (const what of ['trigger', 'trigger', 'resolve'] as const) await receiver.deliver(noticeFor(what), CALM);
    const ids = server.mails.map((mail) => headerOf(mail, 'message-id'));
    expect(ids[0]).toBe(ids[1]);
    expect(ids[2]).not.toBe(ids[0]);
    expect(new Set(server.mails.map((mail) => headerOf(mail, 'references'))).size).toBe(1);
  });

  it('cannot be given a second header by what a log says', async () => {
    const server = await smtpServer();
    await mailbox(server.port).deliver(noticeFor('trigger', { summary: 'x\r\nBcc: evil@c.example\r\n' }), CALM);
    expect(server.mails[0]!.to).toEqual(['o@b.example']);
    expect(headerOf(server.mails[0]!, 'bcc')).toBeUndefined();
  });

  it('goes through STARTTLS with the password of a file, proven by the given certificates', async () => {
    const { file, options } = certificate();
    const server = await smtpServer(options);
    const password = writeInto(aFolder(), 'password', 'hunter2\n');
    chmodSync(password, 0o600);
    const tls = `tls: starttls, ca_file: "${file}", username: u, password_file: "${password}"`;
    await mailbox(server.port, tls).deliver(noticeFor(), CALM);
    expect(server.mails).toMatchObject([{ secure: true, user: 'u' }]);
  });

  it('is not sent when the server offers no STARTTLS, unless that is configured', async () => {
    const server = await smtpServer();
    await expect(mailbox(server.port, 'tls: starttls').deliver(noticeFor(), CALM)).rejects.toMatchObject({
      code: 'RECEIVER_UNREACHABLE',
      failure: 'tls',
    });
    expect(server.mails).toEqual([]);
  });

  it('is not sent to a server that cannot prove itself', async () => {
    const server = await smtpServer(certificate().options);
    await expect(mailbox(server.port, 'tls: starttls').deliver(noticeFor(), CALM)).rejects.toMatchObject({
      failure: 'tls',
    });
    expect(server.mails).toEqual([]);
  });

  it.each([
    [450, 'RECEIVER_UNREACHABLE', 15_000],
    [451, 'RECEIVER_UNREACHABLE', 15_000],
    [550, 'RECEIVER_REFUSED', undefined],
    [554, 'RECEIVER_REFUSED', undefined],
  ])('takes a reply of %i as %s, to be tried again after %s ms', async (responseCode, code, retryAfterMs) => {
    const server = await smtpServer({
      onRcptTo: (_, __, done) => done(Object.assign(new Error('no such o@b.example'), { responseCode })),
    });
    const failed = mailbox(server.port).deliver(noticeFor(), CALM);
    const message = `answered ${responseCode}`;
    await expect(failed).rejects.toMatchObject({ code, status: responseCode, message, retryAfterMs });
  });

  it('with a wrong password is refused', async () => {
    const server = await smtpServer();
    const receiver = receiverOf(
      `{ id: m, kind: email, host: 127.0.0.1, port: ${server.port}, tls: none, from: a@b, to: [c@d], username: u, password_env: P }`,
      { P: 'wrong' },
    );
    await expect(receiver.deliver(noticeFor(), CALM)).rejects.toMatchObject({ code: 'RECEIVER_REFUSED', status: 535 });
  });

  it('is tried again until the server is well, and the end comes after the beginning', async () => {
    let tries = 0;
    const server = await smtpServer({
      onMailFrom: (_, __, done) => {
        tries += 1;
        done(tries <= 1 ? Object.assign(new Error('busy'), { responseCode: 421 }) : null);
      },
    });
    const { append, facts } = dispatching(mailbox(server.port));
    append(raisedFact('esc-1'));
    await until(() => facts('delivery.done').length === 1);
    append(resolvedFact());
    await until(() => facts('delivery.done').length === 2);
    expect(server.mails.map((mail) => headerOf(mail, 'subject'))).toEqual([
      'CRITICAL news: output_stalled',
      'RESOLVED news: output_stalled',
    ]);
  });

  it('that is given up is not taken by a slow server later on: its end would be overtaken', async () => {
    const open = new Set<object>();
    const slow = createServer((socket) => {
      open.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => open.delete(socket));
      socket.resume().write('220 slow\r\n');
    }).listen(0, '127.0.0.1');
    await once(slow, 'listening');
    onTestFinished(() => void slow.close());
    const given = new AbortController();
    const delivered = mailbox((slow.address() as AddressInfo).port).deliver(noticeFor(), given.signal);
    const ended = expect(delivered).rejects.toThrow('late');
    await until(() => open.size === 1);
    given.abort(new Error('late'));
    await ended;
    await until(() => open.size === 0, 2_000);
  });

  it('to a server that does not answer is given up in time', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    onTestFinished(() => void silent.close());
    const { append, facts } = dispatching(mailbox((silent.address() as AddressInfo).port));
    append(raisedFact('esc-1'));
    await until(() => facts('delivery.failed').length === 1);
    expect(facts('delivery.failed')).toMatchObject([{ error: 'timeout' }]);
  });
});

describe('the document of a mailbox', () => {
  const problemsOf = (more: string) =>
    loadText(
      `version: 1\nreceivers:\n  - { id: m, kind: email, host: mail.example, from: a@b, to: [c@d], ${more} }\n`,
      {
        P: 'x',
      },
    ).problems.map(({ line, message }) => `${line}: ${message}`);

  it.each([
    ['username: u', '3: expected username and password together'],
    ['password_env: P', '3: expected username and password together'],
    ['tls: none, username: u, password_env: P', '3: a password goes through TLS, or to this machine only'],
  ])('with %s is refused', (more, message) => {
    expect(problemsOf(more)).toEqual([expect.stringContaining(message)]);
  });
});

describe('the secret of a receiver', () => {
  it.each([
    ['{ id: r, kind: pagerduty }', 'expected routing_key_env or routing_key_file, got neither'],
    ['{ id: r, kind: slack }', 'expected webhook_url_env or webhook_url_file, got neither'],
    ['{ id: r, kind: pagerduty, routing_key_env: E }', 'expected an integration key, such as 32 letters and digits'],
    ['{ id: r, kind: slack, webhook_url_env: E }', 'expected the address of a webhook'],
    ['{ id: r, kind: ntfy, topic: t, token_env: E }', 'expected a token on one line'],
    ['{ id: r, kind: ntfy, topic: t, token_env: NONE }', 'the environment variable NONE is not set'],
  ])('of %s is missed or refused with its place, and never shown', (line, message) => {
    const { problems } = loadText(`version: 1\nreceivers:\n  - ${line}\n`, { E: 'not good' });
    expect(problems).toMatchObject([{ line: 3, message: expect.stringContaining(message) }]);
    expect(JSON.stringify(problems)).not.toContain('not good');
  });
});
