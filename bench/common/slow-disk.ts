/**
 * Makes every sync of a process some milliseconds slower, by a small library that replaces fsync and fdatasync in that
 * process. Building the library needs a C compiler.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const sourceFor = (ms: number) => `#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>
static void later(void) { struct timespec t = {0, ${ms} * 1000000}; nanosleep(&t, 0); }
int fsync(int fd) { int (*real)(int) = dlsym(RTLD_NEXT, "fsync"); later(); return real(fd); }
int fdatasync(int fd) { int (*real)(int) = dlsym(RTLD_NEXT, "fdatasync"); later(); return real(fd); }
`

/**
 * Builds the library that makes a disk seem slow, and returns the environment variables with which a process loads it;
 * undefined if the library cannot be built. Other users can read `folder` afterwards, since PostgreSQL does not run as
 * root.
 */
export function slowDisk(folder: string, ms: number): { LD_PRELOAD: string } | undefined {
  const library = join(folder, 'slow.so')
  chmodSync(folder, 0o755)
  writeFileSync(join(folder, 'slow.c'), sourceFor(ms))
  const made = spawnSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, join(folder, 'slow.c'), '-ldl'])
  return made.status === 0 ? { LD_PRELOAD: library } : undefined
}
