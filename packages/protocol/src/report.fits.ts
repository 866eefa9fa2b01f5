/** Made by generate-fits.ts from the fields of the report; do not edit. */
import { isObject } from './fields.ts'
import { isLink } from './link.ts'

/**
 * True if the reader would keep a report unchanged: every part of it is known, has the right type and is within its
 * limits. False means only that this is not certain. The texts of the report must be known to be clean (D13), runs with
 * the same id are not detected (D11), and objects with free keys lose their prototype here, as in the reader.
 */
export const fitsReport = (v: unknown): boolean => report(v)

function agent(v: unknown): boolean {
  if (!isObject(v)) return false
  for (const key in v) {
    const x = v[key]
    switch (key) {
      case 'version':
        if (!(typeof x === 'string' && x.length <= 200)) return false
        break
      case 'host':
        if (!(typeof x === 'string' && x.length <= 200)) return false
        break
      default:
        return false
    }
  }
  return true
}

function state(v: unknown): boolean {
  if (!isObject(v)) return false
  for (const key in v) {
    const x = v[key]
    switch (key) {
      case 'level':
        if (!(x === 'ok' || x === 'info' || x === 'warn' || x === 'bad')) return false
        break
      case 'label':
        if (!(typeof x === 'string' && x.length <= 80)) return false
        break
      case 'detail':
        if (!(typeof x === 'string' && x.length <= 300)) return false
        break
      default:
        return false
    }
  }
  return true
}

function healthItem(v: unknown): boolean {
  if (!isObject(v)) return false
  for (const key in v) {
    const x = v[key]
    switch (key) {
      case 'name':
        if (!(typeof x === 'string' && x.length <= 200)) return false
        break
      case 'level':
        if (!(x === 'ok' || x === 'info' || x === 'warn' || x === 'bad')) return false
        break
      case 'detail':
        if (!(typeof x === 'string' && x.length <= 300)) return false
        break
      default:
        return false
    }
  }
  return true
}

function health(v: unknown): boolean {
  if (!Array.isArray(v) || v.length > 50) return false
  for (const x of v) if (!(healthItem(x))) return false
  return true
}

function subjectsItem(v: unknown): boolean {
  if (!isObject(v)) return false
  let had = 0
  for (const key in v) {
    const x = v[key]
    switch (key) {
      case 'title':
        if (!(typeof x === 'string' && x.length <= 200)) return false
        had |= 1
        break
      case 'url':
        if (!(typeof x === 'string' && isLink(x))) return false
        break
      case 'share':
        if (!(typeof x === 'number' && Number.isFinite(x) && x >= 0 && x <= 1 && (x !== 0 || 1 / x > 0))) return false
        break
      default:
        return false
    }
  }
  return had === 1
}

function subjects(v: unknown): boolean {
  if (!Array.isArray(v) || v.length > 20) return false
  for (const x of v) if (!(subjectsItem(x))) return false
  return true
}

function activeItem(v: unknown): boolean {
  if (!isObject(v)) return false
  for (const key in v) {
    const x = v[key]
    switch (key) {
      case 'kind':
        if (!(typeof x === 'string' && x.length <= 200)) return false
        break
      case 'model':
        if (!(typeof x === 'string' && x.length <= 200)) return false
        break
      case 'started':
        if (!(typeof x === 'number' && Number.isSafeInteger(x) && x >= 0 && (x !== 0 || 1 / x > 0))) return false
        break
      case 'steps':
        if (!(typeof x === 'number' && Number.isFinite(x) && (x !== 0 || 1 / x > 0))) return false
        break
      case 'detail':
        if (!(typeof x === 'string' && x.length <= 300)) return false
        break
      case 'subjects':
        if (!(subjects(x))) return false
        break
      case 'log':
        if (!(typeof x === 'string' && x !== '' && x.length <= 190)) return false
        break
      default:
        return false
    }
  }
  return true
}

function active(v: unknown): boolean {
  if (!Array.isArray(v) || v.length > 50) return false
  for (const x of v) if (!(activeItem(x))) return false
  return true
}

function gaugesItem(v: unknown): boolean {
  if (!isObject(v)) return false
  for (const key in v) {
    const x = v[key]
    switch (key) {
      case 'name':
        if (!(typeof x === 'string' && x.length <= 200)) return false
        break
      case 'used':
        if (!(typeof x === 'number' && Number.isFinite(x) && (x !== 0 || 1 / x > 0))) return false
        break
      case 'mark':
        if (!(typeof x === 'number' && Number.isFinite(x) && (x !== 0 || 1 / x > 0))) return false
        break
      case 'detail':
        if (!(typeof x === 'string' && x.length <= 300)) return false
        break
      default:
        return false
    }
  }
  return true
}

function gauges(v: unknown): boolean {
  if (!Array.isArray(v) || v.length > 50) return false
  for (const x of v) if (!(gaugesItem(x))) return false
  return true
}

function models(v: unknown): boolean {
  if (!isObject(v)) return false
  let count = 0
  for (const key in v) {
    if (key === '' || key.length > 200 || ++count > 50) return false
    const x = v[key]
    if (!(typeof x === 'number' && Number.isFinite(x) && x >= 0 && (x !== 0 || 1 / x > 0))) return false
  }
  Object.setPrototypeOf(v, null)
  return true
}

function runsItem(v: unknown): boolean {
  if (!isObject(v)) return false
  let had = 0
  for (const key in v) {
    const x = v[key]
    switch (key) {
      case 'id':
        if (!(typeof x === 'string' && x !== '' && x.length <= 190)) return false
        had |= 1
        break
      case 'started':
        if (!(typeof x === 'number' && Number.isSafeInteger(x) && x >= 0 && (x !== 0 || 1 / x > 0))) return false
        break
      case 'ended':
        if (!(typeof x === 'number' && Number.isSafeInteger(x) && x >= 0 && (x !== 0 || 1 / x > 0))) return false
        break
      case 'kind':
        if (!(typeof x === 'string' && x.length <= 40)) return false
        break
      case 'status':
        if (!(typeof x === 'string' && x.length <= 20)) return false
        break
      case 'cost_usd':
        if (!(typeof x === 'number' && Number.isFinite(x) && x >= 0 && (x !== 0 || 1 / x > 0))) return false
        break
      case 'output_tokens':
        if (!(typeof x === 'number' && Number.isSafeInteger(x) && x >= 0 && (x !== 0 || 1 / x > 0))) return false
        break
      case 'models':
        if (!(models(x))) return false
        break
      case 'subjects':
        if (!(subjects(x))) return false
        break
      case 'log':
        if (!(typeof x === 'string' && x !== '' && x.length <= 190)) return false
        break
      default:
        return false
    }
  }
  return had === 1
}

function runs(v: unknown): boolean {
  if (!Array.isArray(v) || v.length > 2000) return false
  for (const x of v) if (!(runsItem(x))) return false
  return true
}

function itemsItem(v: unknown): boolean {
  if (!isObject(v)) return false
  let had = 0
  for (const key in v) {
    const x = v[key]
    switch (key) {
      case 'title':
        if (!(typeof x === 'string' && x.length <= 200)) return false
        had |= 1
        break
      case 'url':
        if (!(typeof x === 'string' && isLink(x))) return false
        break
      case 'meta':
        if (!(typeof x === 'string' && x.length <= 200)) return false
        break
      case 'badge':
        if (!(typeof x === 'string' && x.length <= 200)) return false
        break
      case 'level':
        if (!(x === 'ok' || x === 'info' || x === 'warn' || x === 'bad')) return false
        break
      default:
        return false
    }
  }
  return had === 1
}

function items(v: unknown): boolean {
  if (!Array.isArray(v) || v.length > 200) return false
  for (const x of v) if (!(itemsItem(x))) return false
  return true
}

function listPanel(v: unknown): boolean {
  if (!isObject(v)) return false
  let had = 0
  for (const key in v) {
    const x = v[key]
    switch (key) {
      case 'type':
        if (!(x === 'list')) return false
        had |= 1
        break
      case 'title':
        if (!(typeof x === 'string' && x.length <= 200)) return false
        had |= 2
        break
      case 'items':
        if (!(items(x))) return false
        break
      default:
        return false
    }
  }
  return had === 3
}

function columns(v: unknown): boolean {
  if (!Array.isArray(v) || v.length > 12) return false
  for (const x of v) if (!(typeof x === 'string' && x.length <= 200)) return false
  return true
}

function rowsItemItem(v: unknown): boolean {
  if (!isObject(v)) return false
  let had = 0
  for (const key in v) {
    const x = v[key]
    switch (key) {
      case 'text':
        if (!(typeof x === 'string' && x.length <= 300)) return false
        had |= 1
        break
      case 'url':
        if (!(typeof x === 'string' && isLink(x))) return false
        break
      default:
        return false
    }
  }
  return had === 1
}

function rowsItem(v: unknown): boolean {
  if (!Array.isArray(v) || v.length > 12) return false
  for (const x of v) if (!((typeof x === 'string' && x.length <= 300) || (rowsItemItem(x)))) return false
  return true
}

function rows(v: unknown): boolean {
  if (!Array.isArray(v) || v.length > 200) return false
  for (const x of v) if (!(rowsItem(x))) return false
  return true
}

function tablePanel(v: unknown): boolean {
  if (!isObject(v)) return false
  let had = 0
  for (const key in v) {
    const x = v[key]
    switch (key) {
      case 'type':
        if (!(x === 'table')) return false
        had |= 1
        break
      case 'title':
        if (!(typeof x === 'string' && x.length <= 200)) return false
        had |= 2
        break
      case 'columns':
        if (!(columns(x))) return false
        break
      case 'rows':
        if (!(rows(x))) return false
        break
      default:
        return false
    }
  }
  return had === 3
}

function items2Item(v: unknown): boolean {
  if (!isObject(v)) return false
  let had = 0
  for (const key in v) {
    const x = v[key]
    switch (key) {
      case 'label':
        if (!(typeof x === 'string' && x.length <= 200)) return false
        had |= 1
        break
      case 'value':
        if (!(typeof x === 'string' && x.length <= 300)) return false
        had |= 2
        break
      default:
        return false
    }
  }
  return had === 3
}

function items2(v: unknown): boolean {
  if (!Array.isArray(v) || v.length > 200) return false
  for (const x of v) if (!(items2Item(x))) return false
  return true
}

function kvPanel(v: unknown): boolean {
  if (!isObject(v)) return false
  let had = 0
  for (const key in v) {
    const x = v[key]
    switch (key) {
      case 'type':
        if (!(x === 'kv')) return false
        had |= 1
        break
      case 'title':
        if (!(typeof x === 'string' && x.length <= 200)) return false
        had |= 2
        break
      case 'items':
        if (!(items2(x))) return false
        break
      default:
        return false
    }
  }
  return had === 3
}

function lines(v: unknown): boolean {
  if (!Array.isArray(v) || v.length > 200) return false
  for (const x of v) if (!(typeof x === 'string' && x.length <= 500)) return false
  return true
}

function textPanel(v: unknown): boolean {
  if (!isObject(v)) return false
  let had = 0
  for (const key in v) {
    const x = v[key]
    switch (key) {
      case 'type':
        if (!(x === 'text')) return false
        had |= 1
        break
      case 'title':
        if (!(typeof x === 'string' && x.length <= 200)) return false
        had |= 2
        break
      case 'lines':
        if (!(lines(x))) return false
        break
      default:
        return false
    }
  }
  return had === 3
}

function panelsItem(v: unknown): boolean {
  if (!isObject(v)) return false
  switch (v.type) {
    case 'list':
      return listPanel(v)
    case 'table':
      return tablePanel(v)
    case 'kv':
      return kvPanel(v)
    case 'text':
      return textPanel(v)
    default:
      return false
  }
}

function panels(v: unknown): boolean {
  if (!Array.isArray(v) || v.length > 20) return false
  for (const x of v) if (!(panelsItem(x))) return false
  return true
}

function optionsItem(v: unknown): boolean {
  if (!isObject(v)) return false
  let had = 0
  for (const key in v) {
    const x = v[key]
    switch (key) {
      case 'value':
        if (!((typeof x === 'string' && x.length <= 200) || (typeof x === 'number' && Number.isFinite(x) && (x !== 0 || 1 / x > 0)))) return false
        had |= 1
        break
      case 'label':
        if (!(typeof x === 'string' && x.length <= 200)) return false
        break
      default:
        return false
    }
  }
  return had === 1
}

function options(v: unknown): boolean {
  if (!Array.isArray(v) || v.length > 100) return false
  for (const x of v) if (!(optionsItem(x))) return false
  return true
}

function schemaItem(v: unknown): boolean {
  if (!isObject(v)) return false
  let had = 0
  for (const key in v) {
    const x = v[key]
    switch (key) {
      case 'key':
        if (!(typeof x === 'string' && x !== '' && x.length <= 200)) return false
        had |= 1
        break
      case 'label':
        if (!(typeof x === 'string' && x.length <= 200)) return false
        break
      case 'type':
        if (!(x === 'percent' || x === 'number' || x === 'bool' || x === 'datetime' || x === 'text' || x === 'select')) return false
        had |= 2
        break
      case 'min':
        if (!(typeof x === 'number' && Number.isFinite(x) && (x !== 0 || 1 / x > 0))) return false
        break
      case 'max':
        if (!(typeof x === 'number' && Number.isFinite(x) && (x !== 0 || 1 / x > 0))) return false
        break
      case 'help':
        if (!(typeof x === 'string' && x.length <= 500)) return false
        break
      case 'group':
        if (!(typeof x === 'string' && x.length <= 200)) return false
        break
      case 'options':
        if (!(options(x))) return false
        break
      default:
        return false
    }
  }
  return had === 3
}

function schema(v: unknown): boolean {
  if (!Array.isArray(v) || v.length > 100) return false
  for (const x of v) if (!(schemaItem(x))) return false
  return true
}

function values(v: unknown): boolean {
  if (!isObject(v)) return false
  let count = 0
  for (const key in v) {
    if (key === '' || key.length > 200 || ++count > 100) return false
    const x = v[key]
    if (!((typeof x === 'string' && x.length <= 2000) || (typeof x === 'number' && Number.isFinite(x) && (x !== 0 || 1 / x > 0)) || (typeof x === 'boolean') || (x === null))) return false
  }
  Object.setPrototypeOf(v, null)
  return true
}

function settings(v: unknown): boolean {
  if (!isObject(v)) return false
  for (const key in v) {
    const x = v[key]
    switch (key) {
      case 'schema':
        if (!(schema(x))) return false
        break
      case 'values':
        if (!(values(x))) return false
        break
      default:
        return false
    }
  }
  return true
}

function controls(v: unknown): boolean {
  if (!Array.isArray(v) || v.length > 20) return false
  for (const x of v) if (!(x === 'pause' || x === 'resume' || x === 'run_now')) return false
  return v.length < 2 || new Set(v).size === v.length
}

function acksItem(v: unknown): boolean {
  if (!isObject(v)) return false
  let had = 0
  for (const key in v) {
    const x = v[key]
    switch (key) {
      case 'id':
        if (!(typeof x === 'string' && x !== '' && x.length <= 2000)) return false
        had |= 1
        break
      case 'ok':
        if (!(typeof x === 'boolean')) return false
        had |= 2
        break
      case 'message':
        if (!(typeof x === 'string' && x.length <= 300)) return false
        break
      default:
        return false
    }
  }
  return had === 3
}

function acks(v: unknown): boolean {
  if (!Array.isArray(v) || v.length > 100) return false
  for (const x of v) if (!(acksItem(x))) return false
  return true
}

function applied(v: unknown): boolean {
  if (!isObject(v)) return false
  for (const key in v) {
    const x = v[key]
    switch (key) {
      case 'version':
        if (!(typeof x === 'string' && x.length <= 128)) return false
        break
      case 'outcome':
        if (!(x === 'ok' || x === 'rolled_back' || x === 'failed')) return false
        break
      case 'message':
        if (!(typeof x === 'string' && x.length <= 300)) return false
        break
      default:
        return false
    }
  }
  return true
}

function runtime(v: unknown): boolean {
  if (!isObject(v)) return false
  let had = 0
  for (const key in v) {
    const x = v[key]
    switch (key) {
      case 'version':
        if (!(typeof x === 'string' && x !== '' && x.length <= 128)) return false
        had |= 1
        break
      case 'previous':
        if (!(typeof x === 'string' && x !== '' && x.length <= 128)) return false
        break
      case 'pinned':
        if (!(typeof x === 'string' && x !== '' && x.length <= 128)) return false
        break
      case 'applied':
        if (!(applied(x))) return false
        break
      default:
        return false
    }
  }
  return had === 1
}

function account(v: unknown): boolean {
  if (!isObject(v)) return false
  for (const key in v) {
    const x = v[key]
    switch (key) {
      case 'org':
        if (!(typeof x === 'string' && x.length <= 200)) return false
        break
      case 'plan':
        if (!(typeof x === 'string' && x.length <= 200)) return false
        break
      case 'email':
        if (!(typeof x === 'string' && x.length <= 200)) return false
        break
      default:
        return false
    }
  }
  return true
}

function report(v: unknown): boolean {
  if (!isObject(v)) return false
  let had = 0
  for (const key in v) {
    const x = v[key]
    switch (key) {
      case 'protocol':
        if (!(x === 1)) return false
        had |= 1
        break
      case 'agent':
        if (!(agent(x))) return false
        break
      case 'state':
        if (!(state(x))) return false
        break
      case 'health':
        if (!(health(x))) return false
        break
      case 'active':
        if (!(active(x))) return false
        break
      case 'gauges':
        if (!(gauges(x))) return false
        break
      case 'runs':
        if (!(runs(x))) return false
        break
      case 'panels':
        if (!(panels(x))) return false
        break
      case 'settings':
        if (!(settings(x))) return false
        break
      case 'controls':
        if (!(controls(x))) return false
        break
      case 'acks':
        if (!(acks(x))) return false
        break
      case 'applied':
        if (!(applied(x))) return false
        break
      case 'runtime':
        if (!(runtime(x))) return false
        break
      case 'account':
        if (!(account(x))) return false
        break
      case 'boot':
        if (!(typeof x === 'string' && x !== '' && x.length <= 200)) return false
        break
      case 'seq':
        if (!(typeof x === 'number' && Number.isSafeInteger(x) && x >= 0 && (x !== 0 || 1 / x > 0))) return false
        break
      case 'status_at':
        if (!(typeof x === 'number' && Number.isSafeInteger(x) && x >= 0 && (x !== 0 || 1 / x > 0))) return false
        break
      case 'status_old':
        if (!(typeof x === 'boolean')) return false
        break
      case 'stopped':
        if (!(x === 'person' || x === 'signal')) return false
        break
      default:
        return false
    }
  }
  return had === 1
}
