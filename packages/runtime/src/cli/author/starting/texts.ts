/** The manifest and the README of a new blueprint. */

/** Makes the manifest of a new blueprint, with explanations for its author. */
export const manifestText = (
  name: string,
  command: string,
) => `# The blueprint: its name, how it is started, and what people can see and set.
# "svc check" lists what is wrong with it; "svc pack" makes the bundle to upload.
name: ${name}
version: 0.1.0 # a semantic version; each upload needs a new one
description: Replace me with one line that says what it does.

runtime:
  kind: process # or compose, with files: [compose.yaml]
  command: ${command} # an argument list; no shell reads it
  workdir: .
  restart: always # always | on-failure | never
  stop_seconds: 10 # between asking the agent to end and killing it
health: { start_seconds: 60 } # how long a new version may take to report its state

# The state of the agent: the agent writes it, the runtime reads and reports it.
status: state/status.json
logs: [{ name: work, path: state/work.log }]

# Commands that the agent obeys, from the page or from "svc pause", "svc run-now" and "svc set".
controls: [pause, resume, run_now]
settings:
  - { key: every, label: Minutes between runs, type: number, min: 1, max: 1440, default: 10, group: Schedule }

# Data that outlives versions. It is not packed, unless .svcignore takes it back.
state: [state]

# Secrets that a person types at "svc init"; the agent finds them in its environment.
# secrets: [{ name: MAIL_PASSWORD, purpose: reads the mailbox, optional: false }]
# Products that the agent works with; it finds SVC_BINDING_TASKS_URL, _WORKSPACE and _TOKEN in its environment.
# bindings: [{ product: tasks, role: editor, scopes: [tasks.write] }]
`

/** Makes the README of a new blueprint, which is written for its author. */
export const readmeOf = (name: string, main: string, run: string) => `# ${name}

A skeleton that runs unchanged and does nothing yet. The work goes into the function \`work\` in \`${main}\`. Then change the
description in \`svc.agent.yaml\`. Complete agents to copy from are in the examples of the svc repository.

The command \`svc\` comes from your service. Once on each machine, with its address:

    curl -fsSO https://svc.example.com/cli/svc.pyz
    python3 svc.pyz self install

Then, in this folder:

    ${run}             # runs it by hand; its state is in state/status.json
    svc check                  # lists everything that is wrong with this folder
    svc pack                   # makes the bundle ${name}-0.1.0.zip; upload it on the page
    svc report                 # or: reports this folder, after "svc connect"

It obeys the files that the runtime names in its environment, and those in \`.svc/\` when it is run by hand:
pause (\`SVC_PAUSE_FILE\`), run now (\`SVC_RUN_NOW_FILE\`, which it removes) and settings (\`SVC_SETTINGS_FILE\`).
Everything it keeps is in \`state/\`, which is not packed. To leave out more, add patterns to \`.svcignore\`, one per line.
`
