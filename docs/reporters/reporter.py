#!/usr/bin/env python3
"""A reporter in one file: Python 3.8 or newer, with only its standard library.

    SVC_URL=https://svc.example SVC_TOKEN=svc_agt_... python3 reporter.py FOLDER

It runs as a process beside the agent and shares only files in FOLDER with it: status.json (written by the agent,
section 2.11), paused and run_now (written by either), settings.json ({"schema": [...], "values": {...}}) and
logs/NAME.log. Its own notes are in reporter.json.
"""
import json, math, os, random, re, signal, socket, stat, sys, time, urllib.error, urllib.request, uuid

URL, TOKEN, FOLDER = os.environ['SVC_URL'].rstrip('/'), os.environ['SVC_TOKEN'], sys.argv[1]
SCALE = float(os.environ.get('SVC_TIME_SCALE', '1'))  # multiplies every duration, for drills and tests
# the service accepts 60 reports a minute; 0 if it accepts more
MIN_WAIT = 1.1 * float(os.environ.get('SVC_TIME_FLOOR', '1'))
REQUEST_SECONDS, ANSWER_BYTES, REPORT_BYTES, LOG_BYTES = 15 * SCALE, 1 << 20, 250 * 1024, 512 * 1024
ACK_BYTES = 64 * 1024
CONTROLS = ['pause', 'resume', 'run_now']
BOOT = uuid.uuid4().hex


def main():
    notes = read_notes()
    seq, interval = 0, 30.0
    time.sleep(random.uniform(0, 5) * SCALE)
    while True:
        seq += 1
        try:
            acks = owed(notes)
            answer = post('report', fitted({**report(), 'acks': acks, 'boot': BOOT, 'seq': seq}))
            if not isinstance(answer, dict) or not isinstance(answer.get('commands'), list):
                raise ValueError('the answer holds no list of commands')
            # an ack stays until a report that carried it was answered (D17)
            notes['outbox'] = notes['outbox'][len(acks):]
            save_notes(notes)
            asked = answer.get('interval')
            if type(asked) is int or (type(asked) is float and math.isfinite(asked)):
                interval = min(300.0, max(5.0, asked))
            for command in answer['commands']:
                obey(command, notes)
        except Exception as error:  # on any error: log it, wait, try again (rule 2)
            print(f'report {seq} failed: {type(error).__name__}: {error}', file=sys.stderr, flush=True)
        time.sleep(max(MIN_WAIT, interval * random.uniform(0.85, 1.15) * SCALE))


# --- the report: a copy of what the agent says about itself -------------------------------------------------------

def report():
    status = read_json('status.json')
    status = status if isinstance(status, dict) else {'state': {'level': 'warn', 'label': 'No status'}}
    shown = {k: status[k] for k in ('state', 'health', 'active', 'gauges', 'runs', 'panels') if k in status}
    if os.path.exists(path('paused')):
        shown['state'] = {'level': 'info', 'label': 'Paused'}
    elif shown.get('state') and os.path.exists(path('status.json')):
        # D65: this time shows when an agent no longer writes
        shown['status_at'] = int(os.path.getmtime(path('status.json')))
    agent = status.get('agent')
    version = agent.get('version') if isinstance(agent, dict) else None
    settings = read_json('settings.json')
    return {'protocol': 1, 'agent': {'version': version, 'host': socket.gethostname()}, **shown,
            'settings': settings if isinstance(settings, dict) else None, 'controls': CONTROLS}


def fitted(body):
    """Shrinks a report, since one above 256 KB would always be refused (D19). Panels go first, then runs, then details."""
    for part in ('panels', 'runs', 'active', 'gauges', 'health', 'settings'):
        if len(json.dumps(body)) <= REPORT_BYTES:
            break
        body = {k: v for k, v in body.items() if k != part}
    return body


def owed(notes):
    """The oldest acks, as many as fit into one report. The others go with later reports."""
    acks, room = [], ACK_BYTES
    for i in notes['outbox'][:100]:
        room -= len(json.dumps(notes['seen'][i]['ack']))
        if room < 0:
            break
        acks.append(notes['seen'][i]['ack'])
    return acks


# --- commands: each is checked, applied or refused once, and answered --------------------------------------------

def obey(command, notes):
    if not isinstance(command, dict) or not isinstance(command.get('id'), str) or not command['id']:
        return  # a command without an id cannot be answered
    if not isinstance(command.get('type'), str):
        command = {**command, 'type': ''}
    known = notes['seen'].get(command['id'])
    if known is None:
        known = notes['seen'][command['id']] = {'type': command['type'], 'at': time.time(), 'ack': None}
        # the id is on disk before the command is carried out, so that a kill does not make it run a second time (D4)
        save_notes(notes)
        try:
            ok, message = apply(command)
        except Exception as error:
            ok, message = False, f'{type(error).__name__}: {error}'
        if ok is None:
            known['ack'] = {}  # the upload of a log is the answer to its command
        else:
            known['ack'] = {'id': command['id'], 'ok': ok, 'message': message[:300]}
    if known['ack'] and command['id'] not in notes['outbox']:
        notes['outbox'].append(command['id'])  # a command that is repeated gets the same answer
    save_notes(notes)


def apply(command):
    kind, payload = command['type'], command.get('payload')
    payload = payload if isinstance(payload, dict) else {}
    if kind == 'pause':
        return write('paused', b''), 'paused'
    if kind == 'resume':
        return remove('paused'), 'resumed'
    if kind == 'run_now':
        if os.path.exists(path('paused')):
            return False, 'The agent is paused.'
        return write('run_now', b''), 'asked to run now'
    if kind == 'set':
        return change(payload)
    if kind == 'log':
        return send_log(command['id'], payload.get('name'))
    return False, f'This agent does not know "{kind[:40]}".'


def change(wanted):
    """Changes all settings or none: every key must be a setting, every value of its type and within its bounds."""
    settings = read_json('settings.json') or {}
    schema = {s['key']: s for s in settings.get('schema', [])}
    for key, value in wanted.items():
        if key not in schema:
            return False, f'There is no setting "{key[:40]}".'
        if not fits(schema[key], value):
            return False, f'{key} does not take {json.dumps(value)[:100]}.'
    if not wanted:
        return False, 'There is nothing to set.'
    settings['values'] = {**settings.get('values', {}), **wanted}
    return write('settings.json', json.dumps(settings).encode()), 'set ' + ', '.join(wanted)


def fits(setting, value):
    kind = setting['type']
    if value is None:
        return True
    if kind in ('number', 'percent', 'datetime'):
        if type(value) not in (int, float) or not math.isfinite(value) or (kind == 'datetime' and value != int(value)):
            return False
        low, high = {'percent': (0, 100), 'datetime': (0, 2 ** 53 - 1)}.get(kind, (-math.inf, math.inf))
        return setting.get('min', low) <= value <= setting.get('max', high)
    if kind == 'bool':
        return isinstance(value, bool)
    if kind == 'text':
        return isinstance(value, str) and len(value) <= 2000 and not re.search(r'[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]', value)
    return any(type(o['value']) is type(value) and o['value'] == value for o in setting.get('options', []))


def send_log(command, name):
    """Sends a log: only regular files of FOLDER/logs, only their end, and never our token."""
    if not isinstance(name, str) or not re.fullmatch(r'[A-Za-z0-9_-][A-Za-z0-9._-]{0,189}', name):
        return False, 'There is no such log.'
    try:
        fd = os.open(path('logs', name + '.log'), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return False, 'There is no such log.'
    with os.fdopen(fd, 'rb') as file:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            return False, 'There is no such log.'
        file.seek(max(0, os.fstat(fd).st_size - LOG_BYTES))
        # removes the rest of a character whose first bytes were cut off
        end = file.read(LOG_BYTES).lstrip(bytes(range(0x80, 0xc0)))
    text = end.decode('utf-8', 'replace').replace(TOKEN, '***')
    text = text.encode()[-LOG_BYTES:].decode('utf-8', 'ignore')
    post('log', {'command': command, 'name': name, 'text': text})
    return None, ''


# --- one request, limited in time and size, that follows no redirect ---------------------------------------------

class Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None  # no redirect is followed, so the token goes to no other address


def too_late(*_):
    raise TimeoutError(f'no answer within {REQUEST_SECONDS:g} s')


def post(route, body):
    request = urllib.request.Request(f'{URL}/api/agent/v1/{route}', json.dumps(body).encode(), {
        'Authorization': f'Bearer {TOKEN}', 'Content-Type': 'application/json'})
    signal.signal(signal.SIGALRM, too_late)
    # the limit is for the whole request: a socket's own timeout starts again with each byte
    signal.setitimer(signal.ITIMER_REAL, REQUEST_SECONDS)
    try:
        with urllib.request.build_opener(Stay).open(request) as response:
            answer = response.read(ANSWER_BYTES + 1)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    if len(answer) > ANSWER_BYTES:
        raise ValueError('the answer is too large')
    return json.loads(answer) if route == 'report' else None


# --- files ---------------------------------------------------------------------------------------------------------

def path(*names):
    return os.path.join(FOLDER, *names)


def read_json(name):
    try:
        with open(path(name), encoding='utf-8') as file:
            return json.load(file)
    except (OSError, ValueError):
        return None


def write(name, content):
    """Writes a file whole or not at all, and returns when it is on disk."""
    with open(path(name + '.new'), 'wb') as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(path(name + '.new'), path(name))
    sync_folder()
    return True


def remove(name):
    try:
        os.unlink(path(name))
    except FileNotFoundError:
        pass
    sync_folder()
    return True


def sync_folder():
    fd = os.open(FOLDER, os.O_RDONLY)
    os.fsync(fd)
    os.close(fd)


def read_notes():
    notes = read_json('reporter.json') or {'seen': {}, 'outbox': []}
    for i, entry in notes['seen'].items():
        # the reporter was killed while it applied this command: it is not applied again, and the answer says what is
        # true now
        if entry['ack'] is None:
            paused = os.path.exists(path('paused'))
            holds = {'pause': paused, 'resume': not paused}.get(entry['type'], False)
            entry['ack'] = {'id': i, 'ok': holds, 'message': 'done' if holds else 'interrupted'}
            notes['outbox'].append(i)
    return notes


def save_notes(notes):
    old = sorted(notes['seen'], key=lambda i: notes['seen'][i]['at'])[:-1000]
    for i in old:
        if notes['seen'][i]['at'] < time.time() - 7 * 86400 and i not in notes['outbox']:
            del notes['seen'][i]
    write('reporter.json', json.dumps(notes).encode())


if __name__ == '__main__':
    main()
