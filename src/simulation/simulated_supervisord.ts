/** A supervisord within this process: what the real adapter asks over XML-RPC is done to the simulated service. */
import type { Clock } from '../core/clock.ts';
import type { ProcessReading } from '../core/engine.ts';
import type { BoundedFetch, HttpAnswer, HttpRequest } from '../resilience/http.ts';
import { answerInTime } from './http_answer.ts';
import { type CallMode, COURSES, type Course } from './sim_engine.ts';
import type { Starter } from './service_channel.ts';
import { numberOf } from './random_streams.ts';
import { SEGMENT_BYTES } from './simulated_web.ts';
import type { Generation, ServiceChannel, ServiceModel } from './service_model.ts';

export interface SupervisordDeps {
  readonly engine: string;
  readonly service: ServiceModel;
  /** Reeve's own clock: an answer reaches only a process of Reeve that still runs. */
  readonly clock: Clock;
  readonly worldMs: () => number;
  /** Effects happen whether or not Reeve still runs to see them. */
  readonly at: (atMs: number, run: () => void) => void;
  /** False: what it is asked does not arrive. */
  readonly isUp: () => boolean;
  /** False: it does what it is asked, and the answer is lost. */
  readonly answers: () => boolean;
  readonly mode: () => CallMode;
  /** Which Reeve calls. */
  readonly by: Starter;
  /** Called when a start is asked for; what it returns gets the process once there is one. */
  readonly onStart: (channel: string) => (process: Generation) => void;
  /** Its machine tells how much each process has written. */
  readonly countsBytes?: boolean;
}

/** supervisor/states.py. */
const STATES: Readonly<Record<ServiceChannel['state'], number>> = { stopped: 0, running: 20, exited: 100, fatal: 200 };
/** supervisor/xmlrpc.py, `Faults`. */
const FAULT = { FAILED: 30, BAD_NAME: 10, ALREADY_STARTED: 60, NOT_RUNNING: 70 } as const;
const OWN_PID = 900;
const BYTES_PER_MS = 25;
const QUICK: Course = { effectMs: 100, answerMs: 150 };

/** A restart is a stop and a start here: what its course says of the one and of the other. */
const STOPS: Partial<Record<CallMode, Course>> = {
  well: QUICK,
  stop_only: { effectMs: 200 },
  stop_fails: { effectMs: 200, answerMs: 17_000, fails: true },
  stop_late_start: QUICK,
  stop_lie_ok: QUICK,
  very_late: QUICK,
};
const STARTS: Partial<Record<CallMode, Course>> = {
  well: QUICK,
  stop_only: {},
  stop_fails: { answerMs: 17_000, fails: true },
  stop_late_start: { effectMs: 25_000 },
  stop_lie_ok: { answerMs: 300 },
};

type Value = string | number | boolean | readonly Value[] | { readonly [name: string]: Value };

class Fault extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export class SimulatedSupervisord {
  readonly #deps: SupervisordDeps;

  constructor(deps: SupervisordDeps) {
    this.#deps = deps;
  }

  /** In place of a connection. */
  readonly ask: BoundedFetch = Object.assign((request: HttpRequest) => this.#ask(request), {
    [Symbol.dispose]: () => undefined,
  });

  /** `/proc` of the machine that it runs on. */
  readonly readProcess = (pid: number): ProcessReading | undefined => {
    const channel = this.#channels().find((one) => one.state === 'running' && pidOf(one) === pid);
    if (channel === undefined) return undefined;
    const { process, frozenMs } = channel;
    const cpuMs = (frozenMs ?? this.#deps.worldMs()) - process.bornMs;
    return {
      state: frozenMs === undefined ? 'S' : 'T',
      parent: OWN_PID,
      startTicks: Number(process.generation.split(':t')[1]),
      cpuMs,
      bytesWritten: this.#deps.countsBytes === true ? this.#bytesOf(channel, cpuMs) : undefined,
    };
  };

  /** Every second channel writes on while its output stands, to some other place: nothing but the output shows that. */
  #bytesOf(channel: ServiceChannel, cpuMs: number): number {
    const writesOn = numberOf(channel.plan.id) % 2 === 0;
    return writesOn ? cpuMs * BYTES_PER_MS : this.#deps.service.segments(channel) * SEGMENT_BYTES;
  }

  #ask(request: HttpRequest): Promise<HttpAnswer> {
    return answerInTime(this.#deps, request, this.#answerTo(String(request.body ?? '')));
  }

  async #answerTo(body: string): Promise<string> {
    const method = /<methodName>supervisor\.(\w+)</.exec(body)?.[1] ?? '';
    const name = /<string>(?:[^<]*:)?([^<]*)<\/string>/.exec(body)?.[1] ?? '';
    try {
      return `<methodResponse><params><param>${xmlOf(await this.#do(method, name))}</param></params></methodResponse>`;
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown;
      const fault = { faultCode: thrown.code, faultString: thrown.message };
      return `<methodResponse><fault>${xmlOf(fault)}</fault></methodResponse>`;
    }
  }

  async #do(method: string, name: string): Promise<Value> {
    const { isUp } = this.#deps;
    if (!isUp()) return new Promise(() => undefined);
    switch (method) {
      case 'getPID':
        return OWN_PID;
      case 'getAllProcessInfo':
        return this.#channels().map((channel) => this.#infoOf(channel));
      case 'getProcessInfo':
        return this.#infoOf(this.#named(name));
      case 'stopProcess':
        return this.#stop(this.#named(name));
      case 'startProcess':
        return this.#start(this.#named(name));
      case 'tailProcessStderrLog':
        return ['a line of the log\n', 0, false];
      default:
        throw new Fault(1, `UNKNOWN_METHOD: ${method}`);
    }
  }

  #stop(channel: ServiceChannel): Promise<Value> {
    const { service, mode, by } = this.#deps;
    if (channel.state !== 'running') throw new Fault(FAULT.NOT_RUNNING, 'NOT_RUNNING');
    const { process } = channel;
    return this.#changed(STOPS[mode()] ?? COURSES[mode()], () => {
      if (channel.process === process && channel.state === 'running') service.stop(channel.plan.id, by);
    });
  }

  #start(channel: ServiceChannel): Promise<Value> {
    const { service, mode, onStart, by } = this.#deps;
    if (channel.state === 'running') throw new Fault(FAULT.ALREADY_STARTED, 'ALREADY_STARTED');
    const begun = onStart(channel.plan.id);
    return this.#changed(STARTS[mode()] ?? COURSES[mode()], () => {
      if (channel.state !== 'running') begun(service.restart(channel.plan.id, by));
    });
  }

  #changed({ effectMs, answerMs, fails }: Course, effect: () => void): Promise<Value> {
    const { clock, worldMs, at } = this.#deps;
    if (effectMs !== undefined) at(worldMs() + effectMs, effect);
    return new Promise((resolve, reject) => {
      if (answerMs === undefined) return;
      clock.after(answerMs, () => (fails === true ? reject(new Fault(FAULT.FAILED, 'FAILED')) : resolve(true)));
    });
  }

  #channels(): readonly ServiceChannel[] {
    return [...this.#deps.service.channels.values()].filter(({ plan }) => plan.engine === this.#deps.engine);
  }

  #named(name: string): ServiceChannel {
    const found = this.#channels().find(({ plan }) => plan.id === name);
    if (found === undefined) throw new Fault(FAULT.BAD_NAME, `BAD_NAME: ${name}`);
    return found;
  }

  #infoOf(channel: ServiceChannel): Value {
    const { plan, process, state, exitCode, exitSignal } = channel;
    return {
      name: plan.id,
      group: plan.id,
      start: Math.floor(process.bornMs / 1_000),
      now: Math.floor(this.#deps.worldMs() / 1_000),
      state: STATES[state],
      exitstatus: exitSignal === undefined ? (exitCode ?? 0) : -1,
      pid: state === 'running' ? pidOf(channel) : 0,
    };
  }
}

const pidOf = ({ process }: ServiceChannel): number => Number(process.generation.split(':')[0]);

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

function xmlOf(value: Value): string {
  if (typeof value === 'string') return `<value><string>${escaped(value)}</string></value>`;
  if (typeof value === 'number') return `<value><int>${value}</int></value>`;
  if (typeof value === 'boolean') return `<value><boolean>${value ? 1 : 0}</boolean></value>`;
  if (Array.isArray(value)) return `<value><array><data>${value.map(xmlOf).join('')}</data></array></value>`;
  const members = Object.entries(value).map(([name, one]) => `<member><name>${name}</name>${xmlOf(one)}</member>`);
  return `<value><struct>${members.join('')}</struct></value>`;
}
