// Detects the platform of a native binary by its header.

const ELF_MACHINES = { 62: 'x64', 183: 'arm64' };
const PE_MACHINES = { 0x8664: 'x64', 0xaa64: 'arm64' };
const MACH_O_MACHINES = { 0x01000007: 'x64', 0x0100000c: 'arm64' };
const MACH_O_64 = 0xfeedfacf;

export function isBinary(name) {
  return /\.(node|dll|dylib|so(\.\d+)*)$/.test(name);
}

/** As Node names it, for example `linux-x64`. `undefined` if the file is of no known format. */
export function platformOf(bytes) {
  if (bytes.length < 64) return undefined;
  if (bytes.toString('latin1', 0, 4) === '\x7fELF')
    return named('linux', ELF_MACHINES, bytes.readUInt16LE(18));
  if (bytes.readUInt32LE(0) === MACH_O_64) return named('darwin', MACH_O_MACHINES, bytes.readUInt32LE(4));
  if (bytes.toString('latin1', 0, 2) !== 'MZ') return undefined;
  const header = bytes.readUInt32LE(0x3c);
  if (bytes.toString('latin1', header, header + 4) !== 'PE\0\0') return undefined;
  return named('win32', PE_MACHINES, bytes.readUInt16LE(header + 4));
}

function named(system, machines, machine) {
  return `${system}-${machines[machine] ?? `unknown (${machine})`}`;
}
