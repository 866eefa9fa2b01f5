// The agent of the tests: it records each start with its environment, works, obeys its files, writes its status, and knows no service.
const fs = require('node:fs')
const path = require('node:path')

const { SVC_STATE_DIR: state, SVC_RUN_NOW_FILE: runNow, SVC_SETTINGS_FILE: settings } = process.env
const at = (name) => path.join(state, name)
const beat = Number(process.env.SVC_SETTING_BEAT || 50)
fs.appendFileSync(at('starts'), `${JSON.stringify({ pid: process.pid, cwd: process.cwd(), env: process.env })}\n`)
console.log(`started ${process.pid}`)

process.on('SIGTERM', () => {
  if (fs.existsSync(at('stubborn'))) return
  fs.appendFileSync(at('trace'), 'ends\n')
  process.exit(0)
})
fs.appendFileSync(at('trace'), 'starts\n')
let step = 0
setInterval(() => {
  const asked = fs.existsSync(runNow)
  if (asked) fs.rmSync(runNow)
  const { every } = JSON.parse(fs.readFileSync(settings, 'utf8'))
  fs.appendFileSync(at('trace'), `step ${step} every ${every}${asked ? ' as asked' : ''}\n`)
  fs.appendFileSync(at('work.log'), `worked ${step}\n`)
  fs.writeFileSync(
    at('status.json.new'),
    JSON.stringify({ state: { level: 'ok', label: 'Working', detail: `step ${step}` } }),
  )
  fs.renameSync(at('status.json.new'), at('status.json'))
  step++
  const end = fs.existsSync(at('exit')) ? fs.readFileSync(at('exit'), 'utf8').split(' ') : undefined // "CODE STEPS"
  if (end && step >= Number(end[1])) process.exit(Number(end[0]))
}, beat)
