import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/core/clock.ts';
import { Daemon, type Ended, reeve, until } from './daemon.ts';
import { writeEarlierStart } from './earlier_start.ts';
import { LIST, PATTERNS, RESTART, usualEngine } from './rig_engine.ts';

export { Daemon, type Ended, reeve, until } from './daemon.ts';

/** Where the engine is not asked at all, a test goes on after so long. */
const LOOKED_MS = 3_000;

/** What the engine's restart program does with a channel, after it has been counted. */
export type RestartMode = 'play' | 'refuse' | 'hang' | 'nothing';

/** One message as the receiver got it. */
export interface Delivered {
  readonly id: string;
  readonly what: 'trigger' | 'repeat' | 'resolve';
  readonly key: string;
  readonly reason: string;
  readonly severity: string;
  readonly summary: string;
  readonly details: string;
  /** `channel:news`, `fleet` … */
  readonly scope: string;
  readonly incident: string | undefined;
}

/** A journal entry as `reeve audit export` prints it. */
export interface Exported {
  readonly seq: number;
  readonly channel?: string;
  readonly incident?: string;
  readonly run?: string;
  readonly fact: ExportedFact;
}

/** Loosely: a test says what it expects of each kind. */
export interface ExportedFact {
  readonly type: string;
  readonly permit?: {
    readonly id: string;
    readonly call: { readonly tool: string; readonly target: { readonly id: string } };
  };
  readonly escalation?: { readonly id: string; readonly key: string; readonly reason: string };
  readonly key?: string;
  readonly what?: string;
  readonly origin?: string;
  readonly result?: { readonly ok: boolean; readonly code?: string };
  readonly outcome?: { readonly kind: string; readonly reason?: string };
  readonly because?: string;
  readonly steps?: number;
  readonly cut_off?: true;
}

export interface RigOptions {
  readonly channels?: readonly string[];
  /** More lines for a channel's entry, by its id, in flow style: `persona: watcher`. */
  readonly more?: Readonly<Record<string, string>>;
  /** More top-level lines. */
  readonly config?: string;
  /** Where it listens, in flow style, if not on a free port. */
  readonly http?: (rig: Rig) => string;
  /** More about its journal, in flow style. */
  readonly journal?: (rig: Rig) => string;
  readonly phase?: number;
  /** The first start of all. Default: an earlier one has left its journal, so that no phase is held. */
  readonly emptyJournal?: boolean;
  /** Instead of the usual engine: its YAML lines below `engines:`. */
  readonly engine?: (rig: Rig) => string;
  /** Where the state lies, if not in the rig's own directory. */
  readonly state?: string;
  /** With the whole catalogue instead of one pattern, which takes a second longer to start. */
  readonly catalogue?: 'shipped';
}

/**
 * A world for the real daemon, in a directory of its own: an engine made of two small programs that count what they
 * are asked to do, outputs that answer while a channel plays, and a receiver that keeps what it is sent.
 */
export class Rig {
  readonly dir = mkdtempSync(join(tmpdir(), 'reeve-rig-'));
  readonly state: string;
  readonly configPath = join(this.dir, 'reeve.yaml');
  readonly logPath = join(this.dir, 'reeve.log');
  readonly delivered: Delivered[] = [];
  /** What the receiver answers now; undefined: it does not answer at all. */
  receiverStatus: number | undefined = 204;
  url = '';
  readonly #options: RigOptions;
  readonly #server: Server;
  readonly #daemons: Daemon[] = [];

  private constructor(options: RigOptions, server: Server) {
    this.#options = options;
    this.#server = server;
    this.state = options.state ?? join(this.dir, 'state');
  }

  static async open(options: RigOptions = {}): Promise<Rig> {
    const server = createServer();
    const rig = new Rig(options, server);
    server.on('request', (request, response) => rig.#answer(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    rig.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    rig.#prepare();
    return rig;
  }

  get channels(): readonly string[] {
    return this.#options.channels ?? ['news'];
  }

  /** The path of something in the rig's directory. */
  at(name: string): string {
    return join(this.dir, name);
  }

  /** How often the restart program was started for the channel, whatever came of it. */
  invocations(channel: string): number {
    const path = this.at('executor.log');
    const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
    return lines.filter((line) => line === channel).length;
  }

  mode(channel: string, mode: RestartMode): void {
    writeFileSync(this.at(`mode-${channel}`), `${mode}\n`);
  }

  /** The channel's process ends by itself, badly. */
  die(channel: string): void {
    this.#put(channel, 'exited', 1);
    appendFileSync(this.at(`${channel}.log`), `[error] the encoder of ${channel} has ended\n`);
  }

  /** Somebody stops the channel on purpose. */
  stop(channel: string): void {
    this.#put(channel, 'stopped', 0);
  }

  /** Somebody starts the channel: another life begins. */
  play(channel: string): void {
    this.#put(channel, 'running', undefined, `${this.#item(channel).generation}-by-hand`);
  }

  isPlaying(channel: string): boolean {
    return this.#item(channel).state === 'running';
  }

  writeConfig(text: string = this.configText()): void {
    writeFileSync(`${this.configPath}.new`, text, { mode: 0o600 });
    renameSync(`${this.configPath}.new`, this.configPath);
  }

  configText(): string {
    const { more = {}, config = '', phase = 4, engine = usualEngine } = this.#options;
    return [
      'version: 1',
      `state: ${this.state}`,
      `http: ${this.#options.http?.(this) ?? '{ listen: "127.0.0.1:0" }'}`,
      ...(this.#options.journal === undefined ? [] : [`journal: { ${this.#options.journal(this)} }`]),
      `phase: ${phase}`,
      ...(existsSync(this.at('patterns')) ? [`patterns: ${this.at('patterns')}`] : []),
      'engines:',
      engine(this),
      'channels:',
      ...this.channels.map((id) => {
        const own = more[id] === undefined ? '' : `, ${more[id]}`;
        const output = `{ http: "${this.url}/out/${id}", every: 500ms, stall_after: 2s }`;
        return `  - { id: ${id}, engine: local, logs: ["${this.at(`${id}.log`)}"], output: ${output}${own} }`;
      }),
      'receivers:',
      `  - { id: hook, kind: webhook, url: "${this.url}/hook" }`,
      config,
      '',
    ].join('\n');
  }

  /** Starts the real daemon. `wrap`: a program and its arguments that run it, such as strace. */
  start(wrap: readonly string[] = []): Daemon {
    if (this.#options.emptyJournal !== true && !existsSync(this.state)) writeEarlierStart(this.state);
    rmSync(join(this.state, 'address'), { force: true });
    const daemon = new Daemon(this, wrap);
    this.#daemons.push(daemon);
    return daemon;
  }

  /**
   * Starts it and waits until it is ready and has taken in an answer of the usual engine: on a busy machine an output is
   * seen before its process, and a process that is found dead is not restarted.
   */
  async run(wrap: readonly string[] = []): Promise<Daemon> {
    const before = this.#looks();
    const daemon = this.start(wrap);
    await daemon.ready();
    if (this.#options.engine === undefined) {
      await until('the engine was asked twice', () => this.#looks() >= before + 2, LOOKED_MS).catch(() => undefined);
    }
    return daemon;
  }

  #looks(): number {
    return existsSync(this.at('looks')) ? statSync(this.at('looks')).size : 0;
  }

  /** One command line, run to its end, with this rig's configuration. */
  reeve(...args: readonly string[]): Promise<Ended> {
    return reeve([...args, '--config', this.configPath, '--state', this.state]);
  }

  /** Every record of the journal, read by the audit command. */
  async journal(): Promise<readonly Exported[]> {
    const { code, stdout, stderr } = await this.reeve('audit', 'export');
    if (code !== 0) throw new Error(`reeve audit export ended with ${code}: ${stderr}`);
    return stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Exported);
  }

  log(): string {
    return existsSync(this.logPath) ? readFileSync(this.logPath, 'utf8') : '';
  }

  deliveredUnder(key: string): readonly Delivered[] {
    return this.delivered.filter((one) => one.key === key);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#daemons.map((daemon) => daemon.kill('SIGKILL')));
    await this.#endHanging();
    this.#server.closeAllConnections();
    this.#server.close();
    rmSync(this.dir, { recursive: true, force: true });
  }

  /** Restart programs that are set to hang wait for this file to go. */
  async #endHanging(): Promise<void> {
    rmSync(this.at('hang'), { force: true });
    const hung = existsSync(this.at('hanging'));
    if (hung) await systemClock.sleep(300);
  }

  #prepare(): void {
    mkdirSync(this.at('ch'));
    writeFileSync(this.at('hang'), '');
    if (this.#options.catalogue === undefined) {
      mkdirSync(this.at('patterns'));
      writeFileSync(this.at('patterns/rig.yaml'), PATTERNS);
    }
    writeFileSync(this.at('list.sh'), LIST);
    writeFileSync(this.at('restart.sh'), RESTART);
    for (const channel of this.channels) {
      this.mode(channel, 'play');
      this.#put(channel, 'running', undefined);
      writeFileSync(this.at(`${channel}.log`), '');
    }
    this.writeConfig();
  }

  #item(channel: string): { readonly state: string; readonly generation: string } {
    return JSON.parse(readFileSync(this.at(`ch/${channel}`), 'utf8'));
  }

  #put(channel: string, state: string, exitCode: number | undefined, begun?: string): void {
    const generation = begun ?? (existsSync(this.at(`ch/${channel}`)) ? this.#item(channel).generation : '0');
    const item = { name: channel, state, generation, exit_code: exitCode ?? null };
    writeFileSync(this.at(`put-${channel}`), `${JSON.stringify(item)}\n`);
    renameSync(this.at(`put-${channel}`), this.at(`ch/${channel}`));
  }

  #answer(...[request, response]: Parameters<RequestListener>): void {
    const [, kind, channel = ''] = (request.url ?? '').split('/');
    if (kind === 'out') {
      const plays = this.channels.includes(channel) && this.isPlaying(channel);
      response.writeHead(plays ? 200 : 503).end(plays ? 'frames' : 'nothing');
      return;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (this.receiverStatus === undefined) return void request.socket.destroy();
      response.writeHead(this.receiverStatus).end();
      if (this.receiverStatus < 300) this.delivered.push(JSON.parse(Buffer.concat(chunks).toString()).data);
    });
  }
}
