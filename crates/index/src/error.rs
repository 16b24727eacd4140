//! What can go wrong in a store, told apart by what the reader can do about it.

use thiserror::Error;

/// An error of a store.
#[derive(Debug, Error)]
pub enum StoreError {
    /// Another process is writing and did not finish in time.
    #[error("the index at {place} is being written by another process")]
    Busy {
        /// Where the index lives.
        place: String,
    },
    /// The index was written by a newer docent.
    #[error("the index at {place} has format {found}, and this docent reads up to {supported}")]
    Newer {
        /// Where the index lives.
        place: String,
        /// Its format number.
        found: u32,
        /// The newest format that this program knows.
        supported: u32,
    },
    /// What is on disk cannot be what docent wrote.
    #[error("the index at {place} is damaged: {detail}")]
    Damaged {
        /// Where the index lives.
        place: String,
        /// What was found.
        detail: String,
    },
    /// A built index is not what `docent build` wrote. It is never mended in place.
    #[error("the built index at {place} cannot be used: {detail}")]
    BuiltDamaged {
        /// Where the index lives.
        place: String,
        /// What was found.
        detail: String,
    },
    /// The index was built to be read.
    #[error("the index at {place} was made by `docent build` and is never changed")]
    ReadOnly {
        /// Where the index lives.
        place: String,
    },
    /// There is no such collection.
    #[error("there is no collection `{name}` in the index at {place}")]
    NoCollection {
        /// Where the index lives.
        place: String,
        /// The name that was asked for.
        name: String,
    },
    /// A collection that whoever asks may not know of, be there one or not.
    #[error("the collection `{name}` is not among those that may be used here")]
    OutOfReach {
        /// The name that was asked for.
        name: String,
    },
    /// The name is taken.
    #[error("there is a collection `{name}` in the index at {place} already")]
    CollectionExists {
        /// Where the index lives.
        place: String,
        /// The name that was wanted.
        name: String,
    },
    /// No space, or a quota.
    #[error("no space left for the index at {place}")]
    Full {
        /// Where the index lives.
        place: String,
    },
    /// The index is there and may be read, not written.
    #[error("the index at {place} may not be written to, and searching it needs that as well: {detail}")]
    NotWritable {
        /// Where the index lives.
        place: String,
        /// The system's words.
        detail: String,
    },
    /// The database does not answer.
    #[error("the database at {place} cannot be reached: {detail}")]
    Unreachable {
        /// Its address, without a password.
        place: String,
        /// What the connection said.
        detail: String,
    },
    /// The database does not let anybody in with this address.
    #[error("the database at {place} does not let docent in: {detail}")]
    Refused {
        /// Its address, without a password.
        place: String,
        /// The server's words.
        detail: String,
    },
    /// The connection to the database would not be as safe as was asked for.
    #[error("the database at {place} is not reached safely: {detail}")]
    Untrusted {
        /// Its address, without a password.
        place: String,
        /// What is wrong.
        detail: String,
    },
    /// The database is there, and this role may not do what was asked of it.
    #[error("the database at {place} does not allow it: {detail}")]
    Forbidden {
        /// Its address, without a password.
        place: String,
        /// The server's words.
        detail: String,
    },
    /// The database has no tables of docent yet, and this role may not make them.
    #[error(
        "nothing has been indexed in the database at {place} yet, and this role may not make the tables: {detail}"
    )]
    Unprepared {
        /// Its address, without a password.
        place: String,
        /// The server's words.
        detail: String,
    },
    /// The tables were made by an older docent, and this role may not bring them up to date.
    #[error("the tables in the database at {place} have format {found}, and this docent needs {needed}")]
    Older {
        /// Its address, without a password.
        place: String,
        /// Their format number.
        found: u32,
        /// The one that this program reads and writes.
        needed: u32,
    },
    /// The tables are there, and this role may not read them.
    #[error("docent's tables in the database at {place} may not be read with this role: {detail}")]
    Unreadable {
        /// Its address, without a password.
        place: String,
        /// The server's words.
        detail: String,
    },
    /// The server takes no changes from anybody.
    #[error("the database at {place} cannot be written to, it is a standby or only read: {detail}")]
    Standby {
        /// Its address, without a password.
        place: String,
        /// The server's words.
        detail: String,
    },
    /// Rows are guarded, and this role is not exempt from that.
    #[error("the database at {place} guards its rows, and this role is not exempt: {detail}")]
    Guarded {
        /// Its address, without a password.
        place: String,
        /// The server's words.
        detail: String,
    },
    /// No index can be kept in a database that is like that.
    #[error("the database at {place} cannot hold an index: {detail}")]
    Unfit {
        /// Its address, without a password.
        place: String,
        /// What is wrong with it.
        detail: String,
    },
    /// The operating system refused.
    #[error("cannot access the index at {place}: {detail}")]
    Io {
        /// Which file or folder.
        place: String,
        /// The system's words.
        detail: String,
    },
    /// Anything else that the store's own parts reported.
    #[error("the index at {place} failed: {detail}")]
    Internal {
        /// Where the index lives.
        place: String,
        /// The part's words.
        detail: String,
    },
}

impl StoreError {
    /// The next step, for the line after the error.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Busy { .. } => {
                "wait for the other docent process to finish, or stop it; `write.lock` in the index folder holds its process number"
            }
            Self::Newer { .. } => "update docent, or use another index with --index DIR",
            Self::Damaged { .. } => {
                "`docent check` says what is wrong; `docent index --rebuild` builds it anew from the documents"
            }
            Self::BuiltDamaged { .. } => {
                "nothing was changed; copy the folder again as a whole, or build it anew with `docent build`"
            }
            Self::ReadOnly { .. } => {
                "build it anew with `docent build --docs-dir DIR --out DIR`, or name another index with --index DIR"
            }
            Self::NoCollection { .. } => "`docent collections` lists the names that there are",
            Self::OutOfReach { .. } => "name one of those; the scopes of your token say which they are",
            Self::CollectionExists { .. } => "choose another name, or remove that collection first",
            Self::Full { .. } => {
                "free some space or choose another place with --index DIR; what was indexed is kept"
            }
            Self::NotWritable { .. } => {
                "make the folder and the files in it writable for this user, or copy the folder and name the copy with --index DIR; \
                 `docent build` makes an index that is never written to"
            }
            Self::Unreachable { .. } => {
                "check the address, that the server runs and that it has connections left; what was written is kept, and docent \
                 connects again by itself"
            }
            Self::Refused { .. } => {
                "check the user, the password and the name of the database in the address; `docent config` says where it comes from"
            }
            Self::Untrusted { .. } => {
                "in the address, name the host as the certificate does and the authority that signed it with sslrootcert=FILE; \
                 sslmode=require encrypts without asking for either, and sslmode=disable does not encrypt"
            }
            Self::Forbidden { .. } => {
                "name a role that may write to the tables, or leave the writing to another process"
            }
            Self::Unprepared { .. } => {
                "run `docent index` there once with a role that may: the owner of the database, or one that was given \
                 CREATE ON DATABASE"
            }
            Self::Older { .. } => {
                "run `docent index` of this version there once, with the role that owns the tables"
            }
            Self::Unreadable { .. } => {
                "grant the role USAGE on the schema docent and SELECT on all tables in it: \"Roles\" in the guide of teams \
                 has the statements"
            }
            Self::Standby { .. } => {
                "name the primary in DOCENT_DATABASE_URL; a standby goes into DOCENT_READ_DATABASE_URL"
            }
            Self::Guarded { .. } => {
                "index with the role that owns the tables (ALTER ROLE … SET role makes others act as it), or with one that \
                 has BYPASSRLS"
            }
            Self::Unfit { .. } => {
                "name a database in UTF8 whose schema `docent` is docent's alone; `createdb --encoding UTF8 --template \
                 template0 NAME` makes one"
            }
            Self::Io { .. } => {
                "check that the folder exists and that you may write to it, or choose another with --index DIR"
            }
            Self::Internal { .. } => "run the command again; if it stays, `docent check` tells more",
        }
    }
}
