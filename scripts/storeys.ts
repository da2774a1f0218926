// The layers of src/: a room may import only from the storeys listed before its own, or from itself. The house test
// enforces it, and docs/architecture.svg shows it.
/** A room may import only from the storeys listed before its own, or from itself. */
export const STOREYS: readonly (readonly string[])[] = [
  ['core'],
  ['resilience'],
  ['telemetry', 'journal', 'model', 'engine'],
  ['collect', 'detect', 'ground', 'control', 'remediation', 'escalate'],
  ['guard', 'classifier'],
  ['config'],
  ['rulebook', 'hints', 'memory'],
  ['agent'],
  ['incident', 'ask'],
  ['replay', 'simulation'],
  ['policy_tests'],
  ['backtest'],
  ['http', 'cli', 'library'],
  ['app'],
  ['.'],
];
