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
