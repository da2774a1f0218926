/** Bundles the daemon and its libraries into the files of the package. */
import { type OutputChunk, rolldown } from 'rolldown';

/** They look for files of their own while they run, so they stay packages. */
export const EXTERNAL: readonly string[] = ['pino', 'pino-pretty'];

/**
 * One program out of a source file, our modules and the libraries that it uses, as JavaScript in `dir`. Names and lines
 * stay, for whoever reads a stack trace. Returns the path of every module that went in.
 */
export async function bundle(root: string, input: string, dir: string): Promise<readonly string[]> {
  await using build = await rolldown({ cwd: root, input, platform: 'node', external: [...EXTERNAL] });
  const { output } = await build.write({
    dir,
    comments: false,
    // One letter beyond Latin-1, and V8 keeps the whole file at two bytes a letter for as long as the daemon runs.
    charset: 'ascii',
    minify: { compress: true, mangle: { keepNames: true }, codegen: { removeWhitespace: false } },
  });
  return output.filter((part): part is OutputChunk => part.type === 'chunk').flatMap(({ moduleIds }) => moduleIds);
}
