/** What the daemon takes from the outside world, so that a test can give it another one. */
import type { LogLevel } from '../config/config.ts';
import type { LoadedConfiguration } from '../config/load.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { SecretReference } from '../engine/secret_reference.ts';
import type { SeenDead } from '../ground/facts/facts.ts';
import type { Ids, Random } from '../core/id.ts';
import type { ServiceManager } from './service_manager.ts';

/** What the outside world provides. Tests pass a fake one; main.ts passes the real one. */
export interface HostEnvironment {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Random;
  readonly log: Log;
  readonly setLogLevel: (level: LogLevel) => void;
  readonly version: string;
  /** The text of a secret; throws CONFIG_INVALID when it cannot be had. */
  readonly secret: (reference: SecretReference) => string;
  /** Whoever started this process and waits for signs of life. */
  readonly serviceManager?: ServiceManager | undefined;
  /** Reads the configuration anew. */
  readonly load: () => LoadedConfiguration;
  /** Where everything is opened anew in this process: whom the app before saw die. The journal may not know. */
  readonly seenDead?: readonly SeenDead[] | undefined;
}
