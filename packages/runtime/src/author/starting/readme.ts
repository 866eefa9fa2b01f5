/** The README for the author of a new blueprint. */
export const readmeOf = (name: string, main: string, run: string) => `# ${name}

A skeleton that runs as it is and does nothing yet: the work goes into the function \`work\` in \`${main}\`. Then change the
description in \`svc.agent.yaml\`. Complete agents to copy from are in the examples of the svc repository.

    ${run}             # runs it by hand; what it says is in state/status.json
    svc check                  # what is wrong with this folder, all at once
    svc pack                   # the bundle, ${name}-0.1.0.zip; upload it in the page
    svc report                 # or: report this very folder, after "svc connect"

It obeys the files that the runtime names in its environment, and those in \`.svc/\` when it is run by hand:
pause (\`SVC_PAUSE_FILE\`), run now (\`SVC_RUN_NOW_FILE\`, which it removes) and settings (\`SVC_SETTINGS_FILE\`).
Everything it keeps is in \`state/\`, which is not packed. To leave out more, name it in \`.svcignore\`, one pattern a line.
`
