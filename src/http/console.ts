/** Loads the files of the web console. */
import { readFileSync } from 'node:fs';

/** The status page: static files without any state; the script asks the API with the operator's token. */
const asset = (name: string): string => readFileSync(new URL(`./console/${name}`, import.meta.url), 'utf8');

export interface ConsoleAssets {
  readonly page: string;
  readonly script: string;
  readonly style: string;
  readonly hintsPage: string;
  readonly hintsScript: string;
}

export const loadConsole = (): ConsoleAssets => ({
  page: asset('index.html'),
  script: asset('console.js'),
  style: asset('console.css'),
  hintsPage: asset('hints.html'),
  hintsScript: asset('hints.js'),
});
