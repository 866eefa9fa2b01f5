#!/usr/bin/env node
/**
 * Starts `svc-server` from its package. A Node that is too old must be able to read this file, so it uses no syntax that
 * Node 12 lacks.
 */

const needed = 24
const { node } = process.versions
if (Number(node.split('.')[0]) < needed) {
  process.stderr.write(
    `svc-server: this is Node ${node} (${process.execPath}), and svc-server needs Node ${needed} or newer: install it, from https://nodejs.org or your system, and run the same command with it.\n`,
  )
  process.exitCode = 1
} else {
  // The embedded database is one of Node's own modules, which calls itself experimental at each start.
  const emitWarning = process.emitWarning.bind(process)
  process.emitWarning = (warning, ...rest) => {
    const [options] = rest
    const type = options && typeof options === 'object' ? options.type : options
    if (type !== 'ExperimentalWarning') emitWarning(warning, ...rest)
  }
  void import('../program/main.mjs')
}
