/** Starts a supervisor and asks it for the state of its programs. */
import { type Clock, deadline, systemClock } from '../src/core/clock.ts';
import { ReeveError } from '../src/core/errors.ts';
import { SUPERVISOR_PASSWORD, SUPERVISOR_USER } from './conf.ts';
import { LOOPBACK } from './ports.ts';

/** What the supervisor says about one of its programs. */
export interface ProgramState {
  readonly name: string;
  /** By the supervisor's own names: RUNNING, FATAL, EXITED … */
  readonly state: string;
  /** 0 when it does not run. */
  readonly pid: number;
}

/** The stage's own way to the supervisor, for causing faults and telling the truth: it shares no code with Reeve's. */
export interface Supervisor {
  states(): Promise<readonly ProgramState[]>;
  start(name: string): Promise<void>;
  /** Stops it if it runs, then starts it; a start that fails is the supervisor's business. */
  restart(name: string): Promise<void>;
  shutdown(): Promise<void>;
}

const TIMEOUT_MS = 20_000;
const BASIC = `Basic ${Buffer.from(`${SUPERVISOR_USER}:${SUPERVISOR_PASSWORD}`).toString('base64')}`;

export function connectSupervisor(port: number, clock: Clock = systemClock): Supervisor {
  const call = async (method: string, ...params: readonly string[]): Promise<string> => {
    using patience = deadline(clock, TIMEOUT_MS, () => new ReeveError('TIMED_OUT', `supervisor.${method} hung`));
    const response = await fetch(`http://${LOOPBACK}:${port}/RPC2`, {
      method: 'POST',
      headers: { authorization: BASIC, 'content-type': 'text/xml' },
      body: methodCall(method, params),
      signal: patience.signal,
    });
    return await response.text();
  };
  const start = async (name: string): Promise<void> => {
    await call('startProcess', stringValue(name), NO_WAIT);
  };
  return {
    states: async () => parseStates(await call('getAllProcessInfo')),
    start,
    async restart(name) {
      await call('stopProcess', stringValue(name));
      await start(name);
    },
    async shutdown() {
      await call('shutdown');
    },
  };
}

const stringValue = (text: string): string => `<string>${text}</string>`;
const NO_WAIT = '<boolean>0</boolean>';

function methodCall(method: string, params: readonly string[]): string {
  const values = params.map((param) => `<param><value>${param}</value></param>`).join('');
  const name = `<methodName>supervisor.${method}</methodName>`;
  return `<?xml version="1.0"?><methodCall>${name}<params>${values}</params></methodCall>`;
}

/** The structs of `getAllProcessInfo`: flat, and written by the supervisor we started ourselves. */
export function parseStates(xml: string): readonly ProgramState[] {
  return [...xml.matchAll(/<struct>([\s\S]*?)<\/struct>/g)].map(([, struct]) => {
    const member = (name: string): string => {
      const found = new RegExp(`<name>${name}</name>\\s*<value>\\s*<(\\w+)>([^<]*)</\\1>`).exec(struct!);
      return found?.[2] ?? '';
    };
    return { name: member('name'), state: member('statename'), pid: Number(member('pid')) };
  });
}
