"""A SQLite database with keys of every sort: a small music shop."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

SHOP = """
CREATE TABLE Artist (ArtistId INTEGER PRIMARY KEY, Name TEXT);
CREATE TABLE Album (AlbumId INTEGER PRIMARY KEY, Title TEXT, ReleaseDate TEXT, ArtistId INTEGER REFERENCES Artist);
CREATE TABLE Track (TrackId INTEGER PRIMARY KEY, Name TEXT, Seconds INTEGER, Price REAL, Cover BLOB,
  AlbumId INTEGER REFERENCES Album (AlbumId));
CREATE TABLE Playlists (PlaylistId INTEGER PRIMARY KEY, Name TEXT);
CREATE TABLE PlaylistTrack (PlaylistId INTEGER REFERENCES Playlists, TrackId INTEGER REFERENCES Track, Position INTEGER,
  PRIMARY KEY (PlaylistId, TrackId));
CREATE TABLE Employees (EmployeeId INTEGER PRIMARY KEY, FirstName TEXT, LastName TEXT, BirthDate TEXT, City TEXT,
  HireYear INTEGER, Phone INTEGER, ReportsTo INTEGER REFERENCES Employees (EmployeeId));
CREATE TABLE Shelf (Room TEXT, Number INTEGER, Colour TEXT, PRIMARY KEY (Room, Number));
CREATE TABLE Copy (CopyId INTEGER PRIMARY KEY, Code TEXT UNIQUE, TrackId INTEGER REFERENCES Track, Room TEXT,
  Number INTEGER,
  FOREIGN KEY (Room, Number) REFERENCES Shelf (Room, Number));
CREATE TABLE Loan (LoanId INTEGER PRIMARY KEY, Copy TEXT REFERENCES Copy (Code), Days INTEGER);
INSERT INTO Artist VALUES (1, 'Mara Lind'), (2, 'The Tin Cups');
INSERT INTO Album VALUES (1, 'Night Trains', '2004-05-01 00:00:00', 1), (2, 'Rust', '1999-02-11 00:00:00', 2),
  (3, 'Harbour', '2011-09-30 00:00:00', 1);
INSERT INTO Track VALUES (1, 'Signal', 201, 0.99, x'00ff', 1), (2, 'Sleepers', 340, 1.29, NULL, 1),
  (3, 'Kettle', 122, 0.99, NULL, 2), (4, 'Quay', 275, 0.99, NULL, 3);
INSERT INTO Playlists VALUES (1, 'Morning'), (2, 'Late');
INSERT INTO PlaylistTrack VALUES (1, 3, 1), (1, 1, 2), (2, 2, 1);
INSERT INTO Employees VALUES (1, 'Ann', 'Lee', '1970-03-02', 'Leeds', 2001, 5550101, NULL),
  (2, 'Bob', 'Ray', '1985-11-20', 'York', 2010, 5550102, 1), (3, 'Cid', 'Fox', '1990-07-07', 'Leeds', 2015, 5550103, 1);
INSERT INTO Shelf VALUES ('A', 1, 'red'), ('A', 2, 'blue');
INSERT INTO Copy VALUES (1, 'K-1', 1, 'A', 2), (2, 'K-2', 4, 'A', 1);
INSERT INTO Loan VALUES (1, 'K-2', 14), (2, NULL, 3);
"""


def made(path: Path, *more: str) -> Path:
    """The database at ``path``, with further SQL run in it."""
    with closing(sqlite3.connect(path)) as db:
        for script in (SHOP, *more):
            db.executescript(script)
    return path
