-- What the index contains of each document. An empty version means that it may contain anything of the document.
create table if not exists search_sync_documents (
  workflow text,
  id text,
  version text not null,
  chunks int not null,
  text text,
  problem text,
  -- Only a later run than this one can be certain of the document.
  late_until bigint,
  primary key (workflow, id)
);

-- One row per run: what it has done, and the lock while it is active. A killed run has no ended_at.
create table if not exists search_sync_runs (
  run bigint generated always as identity primary key,
  workflow text not null,
  execution text not null,
  started_at timestamptz not null default now(),
  ended_at timestamptz,
  locked_until timestamptz,
  pushed int not null default 0,
  deleted int not null default 0,
  chunks_deleted int not null default 0,
  failed int not null default 0,
  unreadable int not null default 0,
  withheld int not null default 0,
  error text not null default ''
);

-- Earlier versions of this workflow left a view, which blocked changes of the columns that it used.
drop view if exists "search_documents_{{ $workflow.id }}";
