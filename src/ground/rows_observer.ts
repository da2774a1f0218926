import { standstillOf } from './health.ts';
import type { Look } from './look.ts';
import { told } from './look.ts';
import type { Match } from './row.ts';
import { ENGINE_FAILURES_MIN, OBSERVER_LOST_MS } from './setup.ts';
import { engineSignal, outputSignal, serverSignal, spoken, symptomSignal } from './witness.ts';

/** What we look through is broken, so what we see proves nothing. Never said of a process that is dead or dying. */
export function telemetryUntrusted(look: Look): Match | undefined {
  if (look.down || look.churning || look.process?.stoppedOnPurpose) return undefined;
  const server = serverSignal(look);
  if (server !== undefined) {
    const sinceMs = look.facts.output?.failSinceMs;
    return {
      because: `the server of the output fails, the process does not: ${server.says}`,
      signals: [server],
      sinceMs,
    };
  }
  return lostObserver(look) ?? unknownToEngine(look);
}

function lostObserver(look: Look): Match | undefined {
  const { facts, nowMs } = look;
  if (!facts.setup.hasOutputProbe || !look.running || facts.watchedMs === undefined) return undefined;
  const lastMs = Math.max(facts.watchedMs, facts.output?.last.monoMs ?? 0, facts.reach?.last.monoMs ?? 0);
  if (nowMs - lastMs < OBSERVER_LOST_MS) return undefined;
  const says = `the output was not looked at for ${Math.round((nowMs - lastMs) / 1000)} s`;
  return { because: says, signals: [{ origin: 'metric', says, symptom: undefined, monoMs: nowMs }], sinceMs: lastMs };
}

function unknownToEngine(look: Look): Match | undefined {
  const { facts, nowMs, context } = look;
  const sinceMs = facts.process?.unreadableSinceMs;
  if (sinceMs === undefined || nowMs - sinceMs < OBSERVER_LOST_MS || context.engine.failStreak > 0) return undefined;
  const says = 'the engine answers, but does not tell the state of this channel';
  return { because: says, signals: [{ origin: 'metric', says, symptom: undefined, monoMs: nowMs }], sinceMs };
}

/** Nothing of the engine answers. A channel that still plays is left out of it. */
export function controlPlaneDown(look: Look): Match | undefined {
  const { engine } = look.context;
  if (engine.failStreak < ENGINE_FAILURES_MIN || look.process !== undefined) return undefined;
  const { output } = look.facts;
  const plays =
    output?.everChanged === true && output.failStreak === 0 && standstillOf(look.facts, look.nowMs) === undefined;
  if (plays) return undefined;
  return {
    because: `the engine failed ${engine.failStreak} times in a row`,
    signals: spoken(engineSignal(look), outputSignal(look)),
    sinceMs: engine.failSinceMs,
  };
}

/** No output is wanted now, so no output is no trouble. */
export function expectedQuiet(look: Look): Match | undefined {
  const { process, facts, nowMs } = look;
  if (process?.stoppedOnPurpose && !process.stoppedByUs) {
    return { because: 'stopped on purpose', signals: [], sinceMs: process.stateSinceMs };
  }
  if (facts.setup.expected !== 'on_demand') return undefined;
  const { viewers } = facts;
  if (viewers?.viewers === 0 && nowMs - viewers.monoMs <= OBSERVER_LOST_MS)
    return { because: 'nobody watches', signals: [] };
  const [gone] = told(look, 'publisher_lost');
  if (gone !== undefined && !look.down) return { because: 'nobody broadcasts', signals: [symptomSignal(gone)] };
  return look.health.healthy === true ? { because: look.health.because, signals: [] } : undefined;
}
