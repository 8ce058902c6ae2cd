/** Whether a module that a file of the workspace imports is the file that asks for its callers. */
import type { ModuleCheck } from '../resolve/callers-elsewhere.ts';
import type { Language } from '../syntax/language.ts';
import { isForeignModule, moduleFile, namesOfPaths } from './modules.ts';

/** Two files of a workspace, one of which may call functions of the other. */
export interface Asking {
  /** The file that is searched for calls. */
  readonly file: string;
  /** The file whose functions may be called. */
  readonly asker: string;
  /** Every source file of the workspace. */
  readonly files: ReadonlySet<string>;
}

/** Cached for each workspace, because there may be thousands of files. */
const NAMES = new WeakMap<ReadonlySet<string>, ReadonlySet<string>>();

export function moduleCheck({ file, asker, files }: Asking, language: Language): ModuleCheck {
  return (module) => {
    const target = moduleFile(file, module, language, files);
    if (target === asker) return 'surely';
    return target === undefined && isForeignModule(module, language, namesOf(files)) ? 'not' : 'perhaps';
  };
}

function namesOf(files: ReadonlySet<string>): ReadonlySet<string> {
  let names = NAMES.get(files);
  if (!names) {
    names = namesOfPaths(files);
    NAMES.set(files, names);
  }
  return names;
}
